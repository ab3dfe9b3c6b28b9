// The counts of a run by workers that its submitter shows during the run and at its end: from the tallies of the workers and the
// submitter's own errors.

import { type Counted, emptyStageStats, type ModelUsage, type RunStats, type StageStats } from '@plumb/runtime/display'
import type { Fault } from '@plumb/wire'
import type { Query } from './connection.js'
import type { RunPlan } from './run-plan.js'

export class RunCounts implements Counted {
  readonly #plan: RunPlan
  readonly #own = new Map<string, number>()
  stats: RunStats = { inputs: 0, outputs: 0, errors: new Map(), handled: 0, batches: new Map(), stages: [] }
  bytesRead = 0
  inFlight = 0

  constructor(plan: RunPlan) {
    this.#plan = plan
  }

  /** Counts an error that is in no table. */
  add({ error }: Fault): void {
    this.#own.set(error, (this.#own.get(error) ?? 0) + 1)
  }

  async read(query: Query, run: string): Promise<void> {
    const { rows } = await query(COUNTS, [run])
    const { taken, written, waiting, parts, usages, errors } = (rows[0] ?? {}) as unknown as Counts
    const errorCounts = new Map(this.#own)
    for (const { code, count } of errors ?? []) errorCounts.set(code, (errorCounts.get(code) ?? 0) + count)
    const stages = this.#plan.parts.map(({ id, name }): StageStats => {
      const known = parts?.find(({ part }) => part === id)
      const ofPart = (usages ?? []).filter(({ part }) => part === id)
      if (!known) return emptyStageStats(name)
      const { taken, outputs, failed, tool_calls: toolCalls, failed_calls: failedCalls, retries } = known
      // `firstInputMs: 0` counts from the start of the run.
      return {
        ...emptyStageStats(name),
        inputs: taken,
        outputs,
        errors: failed,
        toolCalls,
        failedCalls,
        retries,
        firstInputMs: 0,
        usages: ofPart.map(usageOf),
      }
    })
    this.inFlight = Number(waiting)
    this.stats = { ...this.stats, inputs: Number(taken), outputs: Number(written), errors: errorCounts, stages }
  }
}

interface Counts {
  readonly taken: string
  readonly written: string
  readonly waiting: string
  readonly parts: readonly {
    readonly part: number
    readonly taken: number
    readonly outputs: number
    readonly failed: number
    readonly tool_calls: number
    readonly failed_calls: number
    readonly retries: number
  }[]
  readonly usages: readonly (Omit<ModelUsage, 'tokens'> & ModelUsage['tokens'] & { readonly part: number })[]
  readonly errors: readonly { readonly code: string; readonly count: number }[]
}

const usageOf = ({
  agent,
  model,
  calls,
  input,
  output,
  cache_read,
  cache_creation,
  cost,
  unpriced,
}: Counts['usages'][number]): ModelUsage => ({
  ...{ agent, model, calls, tokens: { input, output, cache_read, cache_creation } },
  ...{ cost, unpriced },
})

/** Sums come as JSON numbers: counts and nanodollars. */
const COUNTS = `
SELECT r.taken, r.written,
  (SELECT count(DISTINCT origin) FROM plumb.message WHERE run = r.id) AS waiting,
  (SELECT json_agg(t) FROM (SELECT part, sum(taken) AS taken, sum(outputs) AS outputs, sum(failed) AS failed, sum(tool_calls) AS tool_calls,
     sum(failed_calls) AS failed_calls, sum(retries) AS retries FROM plumb.tally WHERE run = r.id GROUP BY part) t) AS parts,
  (SELECT json_agg(u) FROM (SELECT part, agent, model, sum(calls) AS calls, sum(input) AS input, sum(output) AS output,
     sum(cache_read) AS cache_read, sum(cache_creation) AS cache_creation, sum(cost) AS cost, sum(unpriced) AS unpriced
     FROM plumb.usage WHERE run = r.id GROUP BY part, agent, model ORDER BY part, agent, model) u) AS usages,
  (SELECT json_agg(l) FROM (SELECT code, count(*) AS count FROM plumb.letter WHERE run = r.id GROUP BY code) l) AS errors
FROM plumb.run r WHERE r.id = $1`
