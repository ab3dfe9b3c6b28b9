// Runs one evaluation with each variant over the same rows in the same order.

import type { TestPlan } from '@plumb/lang'
import { randomOf } from '@plumb/lang/random'
import { nowMs } from '@plumb/wire'
import type { Carried } from '../carried.js'
import type { RowFinding } from '../check-outcome.js'
import { evaluate } from '../evaluation.js'
import { type RatedRow, rateRows, rowsOfInputs } from '../rate-rows.js'
import type { TestResult } from '../report/result.js'
import type { TestInputs } from '../rows.js'
import type { RunOutcome } from '../run-once.js'
import { headOf, limited, othersOf, type TestOptions, whySkipped } from '../run-test.js'
import { mean } from '../scored.js'
import { AnytimeMean } from '../statistics/anytime.js'
import { SubjectRuns } from '../subject-runs.js'
import type { Step } from './first-wire.js'
import { type JudgedPair, judgePairs } from './judge-pairs.js'

export interface VariantRun {
  readonly name: string
  readonly plan: TestPlan
  readonly options: TestOptions
  /** It is what another is compared with, and has to be good enough for nothing. */
  readonly isPast: boolean
  /** In place of those of the options, for its result. */
  readonly model?: string
}

/** What a row gave in each repetition, and on which way. */
export interface MeasuredRow {
  readonly runs: readonly RatedRow[]
  readonly steps: readonly (readonly Step[])[]
}

export interface Measured {
  readonly variant: VariantRun
  readonly result: TestResult
  /** By the index of the row in the data, in the order in which they were asked. */
  readonly rows: ReadonlyMap<number, MeasuredRow>
  /** It was decided before the last row. */
  readonly stoppedAt?: number
  /** Its interval and p at any number of rows. */
  readonly anytime?: Anytime
}

export interface Anytime {
  readonly interval: { readonly low: number; readonly high: number }
  readonly p: number
}

export interface MeasureSettings {
  readonly seed: number
  /** The p below which a verdict is sure at any number of rows. Undefined: all rows are asked. */
  readonly untilP?: number
  /** Judges of pairs are asked twice, with the two exchanged. */
  readonly hasOrder: boolean
  /** Where answers are kept, so that what is the same in two variants is asked once. */
  readonly directory: string
}

export interface MeasuredTest {
  /** The first is the baseline. Empty: it was not run, or not as it should. */
  readonly measured: readonly Measured[]
  readonly results: readonly TestResult[]
  readonly inputs: readonly string[]
  readonly rows: number
}

/** The first blocks of rows, after which it is looked whether it is decided; later ones are a quarter of what was asked. */
const LEAST_BLOCK = 16

export const measureVariants = async (variants: readonly VariantRun[], settings: MeasureSettings): Promise<MeasuredTest> => {
  const all = variants.map((variant) => new VariantRows(variant))
  const [first] = all as [VariantRows]
  const ends = (results: readonly TestResult[]): MeasuredTest => ({ measured: [], results, inputs: [], rows: 0 })
  const skipped = await Promise.all(all.map(({ variant }) => whySkipped(variant.plan, variant.options)))
  if (skipped.some((why) => why !== undefined)) return ends(all.map((one, i) => one.skippedFor(skipped[i] ?? 'another variant is not run')))
  const inputs = first.runs.readInputs()
  if (!inputs.ok) return ends(all.map((one) => one.failedWith({ code: inputs.error.error, message: inputs.error.detail })))
  const messages = [...inputs.value.given.values()]
  const count = Math.max(0, ...messages.map(({ length }) => length))
  const { untilP, seed, directory } = settings
  const order = untilP === undefined ? Array.from({ length: count }, (_, i) => i) : shuffled(count, seed)
  for (let [at, block] = [0, 0]; at < count; block++) {
    const rows = order.slice(at, untilP === undefined ? count : at + Math.max(LEAST_BLOCK, Math.ceil(at / 4)))
    const kept = `${directory}/${block}`
    for (const one of all) if (!one.isDecided) await one.ask(rows, inputs.value, kept)
    if (first.variant.plan.judges[0]?.kind === 'pair')
      for (const one of all.slice(1))
        if (!one.isDecided) await one.judge(rows, first, { inputs: inputs.value, hasOrder: settings.hasOrder, kept })
    at += rows.length
    if (untilP === undefined || all.some(({ runs }) => runs.skipped !== undefined)) continue
    for (const one of all.slice(1)) one.look(rows, first, { untilP, isLast: at === count })
    if (all.slice(1).every(({ isDecided }) => isDecided)) break
  }
  const isSkipped = all.some(({ runs }) => runs.skipped !== undefined)
  if (isSkipped) return ends(all.map((one) => one.skippedFor(one.runs.skipped ?? 'another variant is not run')))
  const measured = all.map((one) => one.measured(messages[0] ?? []))
  return { measured, results: measured.map(({ result }) => result), inputs: messages[0] ?? [], rows: count }
}

class VariantRows {
  readonly runs: SubjectRuns
  readonly #rows = new Map<number, { readonly runs: RatedRow[]; readonly steps: (readonly Step[])[] }>()
  readonly #others: RowFinding[] = []
  readonly #beside = new Map<string, readonly number[]>()
  #ms = 0
  #stoppedAt: number | undefined
  #anytime: { readonly interval: AnytimeMean; readonly p: AnytimeMean } | undefined

  constructor(readonly variant: VariantRun) {
    this.runs = new SubjectRuns(variant.plan, variant.options)
  }

  get isDecided(): boolean {
    return this.#stoppedAt !== undefined
  }

  async ask(rows: readonly number[], inputs: TestInputs, kept: string): Promise<void> {
    const { plan } = this.variant
    const part = partOf(inputs, rows)
    const startMs = nowMs()
    for (let repetition = 0; repetition < plan.runs; repetition++) {
      const run = await this.runs.rated(part, `${kept}/${repetition + 1}`)
      const rated = rateRows(plan, run, part.rows)
      const steps = stepsOfRows(run.outcome)
      for (const [i, row] of rows.entries()) this.#add(row, rated[i], steps[i] ?? [])
      this.#others.push(...othersOf([run]))
    }
    this.#ms += nowMs() - startMs
  }

  #add(row: number, rated: RatedRow | undefined, steps: readonly Step[]): void {
    const known = this.#rows.get(row) ?? { runs: [], steps: [] }
    this.#rows.set(row, known)
    if (!rated) return
    known.runs.push(rated)
    known.steps.push(steps)
  }

  /** Of each row, which of the two is better; the baseline has the rest of the score. */
  async judge(rows: readonly number[], baseline: VariantRows, { inputs, hasOrder, kept }: PairSettings): Promise<void> {
    for (let repetition = 0; repetition < this.variant.plan.runs; repetition++) {
      const pairs = rows.flatMap((row): readonly JudgedPair[] => {
        const [a, b] = [baseline.#rows.get(row)?.runs[repetition], this.#rows.get(row)?.runs[repetition]]
        const [given, line] = [[...inputs.given.values()][0]?.[row] ?? 'null', inputs.rows?.[row]?.json]
        return a && b ? [{ row, given, line, a, b }] : []
      })
      const { judged, findings } = await judgePairs(baseline.runs, this.variant.plan.judges, pairs, {
        hasOrder,
        kept: `${kept}/${repetition + 1}`,
      })
      this.#others.push(...findings)
      for (const [row, rated] of judged) {
        const runs = this.#rows.get(row)?.runs
        if (runs) runs[repetition] = rated
        baseline.#judged(row, repetition, rated.against ?? 0)
      }
    }
  }

  // Beside several variants, the mean of them all.
  #judged(row: number, repetition: number, score: number): void {
    const key = `${row} ${repetition}`
    const all = [...(this.#beside.get(key) ?? []), score]
    this.#beside.set(key, all)
    const runs = this.#rows.get(row)?.runs
    const rated = runs?.[repetition]
    if (runs && rated) runs[repetition] = { ...rated, score: mean(all) }
  }

  /** Takes in rows that both have answered. */
  look(rows: readonly number[], baseline: VariantRows, { untilP, isLast }: { readonly untilP: number; readonly isLast: boolean }): void {
    if (this.isDecided) return
    this.#anytime ??= { interval: new AnytimeMean(ALPHA), p: new AnytimeMean(untilP) }
    const { interval, p } = this.#anytime
    for (const row of rows) {
      const runs = this.#rows.get(row)?.runs ?? []
      const beside = runs.flatMap(({ against }) => against ?? [])
      const difference = meanOf(runs) - (beside.length > 0 ? mean(beside) : meanOf(baseline.#rows.get(row)?.runs ?? []))
      interval.add(difference)
      p.add(difference)
    }
    if (p.p <= untilP && !isLast) this.#stoppedAt = this.#rows.size
  }

  measured(inputs: readonly string[]): Measured {
    const { variant } = this
    const rows = [...this.#rows.keys()].sort((a, b) => a - b)
    const runs = Array.from({ length: variant.plan.runs }, (_, i) => rows.flatMap((row) => this.#rows.get(row)?.runs[i] ?? []))
    const { findings, share } = evaluate(variant.plan, { runs, inputs: rows.map((row) => inputs[row] ?? ''), others: this.#others })
    const found = variant.isPast ? [] : findings
    const { spent } = this.runs
    return {
      variant,
      rows: this.#rows,
      result: {
        ...this.#head,
        status: found.length > 0 ? 'failed' : 'passed',
        milliseconds: rounded(this.#ms),
        findings: limited(found),
        share,
        ...(variant.plan.random === undefined ? {} : { seed: variant.options.seed }),
        ...(spent ? { spent } : {}),
      },
      ...(this.#stoppedAt === undefined ? {} : { stoppedAt: this.#stoppedAt }),
      ...(this.#anytime ? { anytime: { interval: this.#anytime.interval.interval, p: this.#anytime.p.p } } : {}),
    }
  }

  skippedFor(why: string): TestResult {
    return { ...this.#head, status: 'skipped', why, milliseconds: 0, findings: [] }
  }

  failedWith(finding: RowFinding): TestResult {
    return { ...this.#head, status: 'failed', milliseconds: 0, findings: limited([finding]) }
  }

  get #head() {
    const { variant } = this
    const { name, plan, options, model } = variant
    return { ...headOf(plan, options), ...(model === undefined ? {} : { model }), variant: name }
  }
}

interface PairSettings {
  readonly inputs: TestInputs
  readonly hasOrder: boolean
  readonly kept: string
}

const ALPHA = 0.05

export const meanOf = (runs: readonly RatedRow[]): number => runs.reduce((sum, { score }) => sum + score, 0) / Math.max(1, runs.length)

/** What was not asked for want of money says nothing of a difference. */
export const isUnpaid = (before: readonly RatedRow[], now: readonly RatedRow[]): boolean =>
  [...before, ...now].some(({ error }) => error === 'budget_spent')

const partOf = ({ given, rows }: TestInputs, indexes: readonly number[]): TestInputs => {
  const pick = <T>(all: readonly T[]): readonly T[] => indexes.flatMap((i) => (i < all.length ? [all[i] as T] : []))
  return { given: new Map([...given].map(([port, messages]) => [port, pick(messages)])), ...(rows ? { rows: pick(rows) } : {}) }
}

const stepsOfRows = (outcome: RunOutcome): readonly (readonly Step[])[] => {
  const steps = stepsByInput(outcome.carried)
  return rowsOfInputs(outcome).map((inputs) => inputs.flatMap((input) => steps.get(input) ?? []))
}

/** By the numbers of inputs. */
const stepsByInput = (carried: Carried): ReadonlyMap<number, readonly Step[]> => {
  const found = new Map<number, (Step & { readonly time: number; readonly messages: string[] })[]>()
  for (const { name, messages, seqs, times } of carried.timed) {
    for (const [i, input] of seqs.entries()) {
      const steps = found.get(input) ?? []
      if (steps.length === 0) found.set(input, steps)
      const last = steps.at(-1)
      if (last?.wire === name) last.messages.push(messages[i] as string)
      else steps.push({ wire: name, messages: [messages[i] as string], time: times[i] as number })
    }
  }
  for (const steps of found.values()) steps.sort((a, b) => a.time - b.time)
  return found
}

/** Fisher and Yates. */
const shuffled = (count: number, seed: number): readonly number[] => {
  const random = randomOf(seed)
  const order = Array.from({ length: count }, (_, i) => i)
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[order[i], order[j]] = [order[j] as number, order[i] as number]
  }
  return order
}

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000
