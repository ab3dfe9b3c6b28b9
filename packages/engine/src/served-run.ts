// A request of plumb-serve as a run by workers: its inputs go into the tables, and what comes of them is taken from there as numbered lines. A line
// is kept in one transaction with the end of what it came from, so each is there once, whichever server takes it.

import { type AskedCall, type Consent, settleConsent } from '@plumb/ledger'
import { fitInput, isOpen, type ListedCall, questionOf } from '@plumb/ledger/approval'
import { doneText, errorText, type Fault, fault, valueText } from '@plumb/wire'
import { callsOf, decide } from './approve.js'
import { beginRun } from './begin-run.js'
import type { Connection, Query } from './connection.js'
import type { NewMessage } from './engine.js'
import { END_IN_TIME, FAIL_FIXED, insertMessages } from './postgres.js'
import type { RunPlan } from './run-plan.js'
import { runNameOf, type ServedTables } from './served-tables.js'
import { fixedFault } from './unserved.js'

/** What a person has said. */
export type Said = { readonly isApproved: boolean; readonly answer?: string; readonly why?: string } | Exclude<Consent, boolean>

/** A question, or a call that needs approval. */
export interface PersonAsked {
  readonly agent: string
  /** Undefined: it is a question. */
  readonly tool: string | undefined
  readonly prompt: string
  /** One JSON value as text. */
  readonly input: string
  readonly schema: unknown
  /** Why what was put in the place of the input of the call cannot be taken. */
  readonly wrong?: string | undefined
}

export interface Spending {
  readonly agent: string
  readonly model: string
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_creation_tokens: number
}

export interface ServedRunOptions {
  readonly tables: ServedTables
  readonly id: string
  readonly plan: RunPlan
  readonly input: Buffer
  /** In the format of `plumb.run`. */
  readonly limits: string | null
  /** It has fired: the run is cancelled. */
  readonly signal: AbortSignal
  /** The server ends, and the run goes on without it. */
  readonly left: AbortSignal
  /** A numbered line, without its end. */
  readonly write: (line: string) => void
  readonly report: (error: Fault) => void
  readonly spent: (spending: Spending) => void
  /** Undefined: nobody answers any more. */
  readonly ask: (asked: PersonAsked, signal: AbortSignal) => Promise<Said | undefined>
}

const POLL_MS = 1000
const BATCH = 500
const CACHE = { isOnly: false, hasRequests: false }

export class ServedRun {
  readonly #o: ServedRunOptions
  readonly #name: string
  /** Its client has it from the server that has ended it. */
  #isGone = false
  /** The number of the last line that was written. */
  #last = '0'
  /** Counted before, by agent and model. */
  readonly #spent = new Map<string, readonly number[]>()
  /** Questions that are open here, by id. */
  readonly #asked = new Map<string, AbortController>()

  constructor(options: ServedRunOptions) {
    this.#o = options
    this.#name = runNameOf(options.id)
  }

  /** Resolves when it has ended, or is left; to false where another server has ended it. */
  async run(): Promise<boolean> {
    const { tables, signal, left } = this.#o
    const over = AbortSignal.any([signal, left])
    await tables.patiently((connection) => this.#begin(connection), over)
    while (!over.aborted) {
      const step = await tables.patiently((connection) => this.#step(connection), over)
      if (step === 'over' || step === 'gone') break
      if (step === 'waits') await tables.news(POLL_MS, over)
    }
    for (const asked of this.#asked.values()) asked.abort()
    if (signal.aborted && !left.aborted) await tables.patiently(({ query }) => cancel(query, this.#name), left)
    return !this.#isGone
  }

  /** Its inputs, all at once; it is there already after a restart. */
  async #begin(connection: Connection): Promise<void> {
    const { plan, input, limits, id } = this.#o
    const values = input
      .toString('utf8')
      .split('\n')
      .filter((line) => line.trim() !== '')
    await connection.transaction(async (query) => {
      const run = await beginRun(query, { name: this.#name, plan, limits, isKept: false, pins: new Map(), cache: CACHE })
      if (run === undefined) {
        // The server may have other limits now.
        await query(NEW_LIMITS, [this.#name, limits])
        return true
      }
      const messages = values.flatMap((value, i) =>
        value.includes('\0')
          ? []
          : plan.entrance.map((target): NewMessage => ({ ...target, ord: `{${i + 1}}`, origin: String(i + 1), value })),
      )
      for (let at = 0; at < messages.length; at += BATCH) await insertMessages(query, run, messages.slice(at, at + BATCH))
      const wrong = values.flatMap((value, i) => (value.includes('\0') ? [errorText([i + 1], CONTROL, LAST)] : []))
      await keep(query, id, wrong)
      await query("UPDATE plumb.run SET taken = $2, state = 'closed' WHERE id = $1", [run, values.length])
      await query('NOTIFY plumb')
      return true
    })
  }

  async #step(connection: Connection): Promise<'over' | 'gone' | 'waits' | 'more'> {
    const { query } = connection
    await query(END_IN_TIME)
    await query(FAIL_FIXED)
    const { rows } = await query(STATE, [this.#name])
    const [state] = rows
    this.#isGone = state === undefined
    if (!state) return 'gone'
    const run = String(state.id)
    const moved = await this.#collect(connection, run)
    await this.#write(query)
    await this.#count(query, run)
    if (moved === BATCH) return 'more'
    if (state.failed !== null) return this.#end(fixedFault(String(state.failed)))
    if (state.state === 'cancelled') return this.#end(fault('cancelled', 'the run was cancelled'))
    if (state.is_parked === true) {
      await cancel(query, this.#name)
      return this.#end(JSON.parse(String(state.parked)) as Fault)
    }
    if (state.is_quiet === true && moved === 0) {
      await query("UPDATE plumb.run SET state = 'done', ended = now() WHERE id = $1 AND state = 'closed'", [run])
      for (let seq = 1; seq <= Number(state.taken); seq++) this.#o.write(doneText(seq))
      return 'over'
    }
    await this.#ask(query)
    return 'waits'
  }

  #end(why: Fault): 'over' {
    this.#o.report(why)
    return 'over'
  }

  /** Outputs and letters become lines; resolves to how many outputs there were. */
  async #collect(connection: Connection, run: string): Promise<number> {
    const { id, plan } = this.#o
    const moved = await connection.transaction(async (query) => {
      const { rows: outputs } = await query(TAKE_OUTPUTS, [run, BATCH])
      const { rows: letters } = await query(TAKE_LETTERS, [run])
      if (outputs.length + letters.length === 0) return undefined
      const values = [...outputs]
        .sort((a, b) => Number(a.id) - Number(b.id))
        .map(({ port, origin, value }) => {
          const name = plan.outputs.length === 1 ? 'output' : (plan.outputs[Number(port)] ?? 'output')
          return valueText([Number(origin)], name, String(value))
        })
      const errors = letters.map(({ origin, fault: said }) => errorText([Number(origin)], JSON.parse(String(said)) as Fault, LAST))
      await keep(query, id, [...values, ...errors])
      await query('UPDATE plumb.run SET written = written + $2 WHERE id = $1', [run, outputs.length])
      return outputs.length
    })
    return moved ?? 0
  }

  async #write(query: Query): Promise<void> {
    for (;;) {
      const { rows } = await query('SELECT n, line FROM plumb.served_line WHERE id = $1 AND n > $2 ORDER BY n LIMIT $3', [
        ...[this.#o.id, this.#last, BATCH],
      ])
      for (const { n, line } of rows) {
        this.#last = String(n)
        this.#o.write(String(line))
      }
      if (rows.length < BATCH) return
    }
  }

  async #count(query: Query, run: string): Promise<void> {
    const { rows } = await query(USAGE, [run])
    for (const { agent, model, ...counts } of rows) {
      const key = JSON.stringify([agent, model])
      const now = [counts.input, counts.output, counts.cache_read, counts.cache_creation].map(Number)
      const before = this.#spent.get(key) ?? [0, 0, 0, 0]
      this.#spent.set(key, now)
      const [input_tokens = 0, output_tokens = 0, cache_read_tokens = 0, cache_creation_tokens = 0] = now.map(
        (count, i) => count - (before[i] ?? 0),
      )
      if (now.every((count, i) => count === before[i])) continue
      const tokens = { input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens }
      this.#o.spent({ agent: String(agent), model: String(model), ...tokens })
    }
  }

  /** What waits for a person now; what was decided elsewhere waits no more. */
  async #ask(query: Query): Promise<void> {
    const calls = [...((await callsOf(query, this.#name))?.values() ?? [])].filter(isOpen)
    for (const [id, asked] of this.#asked) if (!calls.some((call) => call.id === id)) asked.abort()
    for (const call of calls) if (!this.#asked.has(call.id)) void this.#askOne(call)
  }

  async #askOne(call: ListedCall): Promise<void> {
    const asked = new AbortController()
    this.#asked.set(call.id, asked)
    const { tables, left, ask } = this.#o
    const asking = ({ input, wrong }: AskedCall) => ask({ ...askedOf({ ...call, input }), wrong }, asked.signal)
    const { said, edited } = await settleConsent(call, asking, (json) => fitInput(json, call.schema))
    if (typeof said === 'object' && 'isApproved' in said && !asked.signal.aborted) {
      const decision = { ...said, ...(edited === undefined ? {} : { edited }) }
      await tables.patiently(
        (connection) => connection.transaction((query) => decide(query, this.#name, [call.id], new Map([[call.id, call]]), decision)),
        left,
      )
    }
    this.#asked.delete(call.id)
  }
}

const LAST = { hasMore: false, isForOurs: true }
const CONTROL = fault('invalid_json', 'this line has a control character that is not escaped')

const askedOf = (call: ListedCall): PersonAsked => {
  const question = questionOf(call)
  const agent = call.process.split('@', 1)[0] ?? call.process
  if (question) return { agent, tool: undefined, prompt: question.prompt, input: question.input, schema: question.schema }
  return { agent, tool: call.tool, prompt: '', input: call.input, schema: { type: 'boolean' } }
}

const cancel = (query: Query, name: string) =>
  query("UPDATE plumb.run SET state = 'cancelled', ended = now() WHERE name = $1 AND state IN ('open', 'closed')", [name])

const keep = async (query: Query, id: string, lines: readonly string[]): Promise<void> => {
  if (lines.length > 0)
    await query(
      'INSERT INTO plumb.served_line (id, line) SELECT $1, l.line FROM unnest($2::text[]) WITH ORDINALITY AS l (line, i) ORDER BY l.i',
      [id, lines],
    )
}

const STATE = `
SELECT id, state, taken, failed, parked, NOT EXISTS (SELECT 1 FROM plumb.message m WHERE m.run = r.id) AS is_quiet,
  parked IS NOT NULL AND NOT EXISTS (SELECT 1 FROM plumb.message m WHERE m.run = r.id AND part > 0 AND lease IS NOT NULL) AS is_parked
FROM plumb.run r WHERE name = $1`

const NEW_LIMITS = `
UPDATE plumb.run SET limits = $2, parked = NULL WHERE name = $1 AND limits IS DISTINCT FROM $2 AND state IN ('open', 'closed')`

const TAKE_OUTPUTS = `
DELETE FROM plumb.message WHERE id IN (SELECT id FROM plumb.message WHERE run = $1 AND part = 0 ORDER BY id LIMIT $2)
RETURNING id, port, origin, value`

const TAKE_LETTERS = `
WITH told AS (UPDATE plumb.letter SET reported = true WHERE run = $1 AND NOT reported RETURNING id, origin, fault)
SELECT origin, fault FROM told ORDER BY id`

const USAGE = `
SELECT agent, model, sum(input) AS input, sum(output) AS output, sum(cache_read) AS cache_read, sum(cache_creation) AS cache_creation
FROM plumb.usage WHERE run = $1 GROUP BY agent, model ORDER BY agent, model`
