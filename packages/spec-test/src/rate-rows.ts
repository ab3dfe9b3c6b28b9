// What became of each row of an evaluation in one run: its score, and the error for which it has none.

import type { TestPlan } from '@plumb/lang'
import { looksAtOuts, outputsByInput, type RowFinding } from './check-outcome.js'
import type { Row } from './rows.js'
import type { RunOutcome } from './run-once.js'
import { mean, type Scored } from './scored.js'
import type { Usage } from './spending.js'

/** One run of all rows. */
export interface RatedRun {
  readonly outcome: RunOutcome
  /** Errors of rows and of the whole. */
  readonly findings: readonly RowFinding[]
  /** Undefined: there is no judge. */
  readonly scored: Scored | undefined
}

export interface RatedRow {
  /** From 0 to 1. */
  readonly score: number
  /** The code of the error for which the score is 0: that of the row, `timeout`, `no_output`, or `judge`. */
  readonly error?: string
  /** What it gave in place of what was wanted: JSON, or words. */
  readonly gave?: string
  /** The outputs that it had to give, if it names them. */
  readonly expected?: readonly string[]
  readonly outputs: readonly string[]
  /** That of each judge. */
  readonly scores?: readonly number[]
  /** Of a pair the score of the baseline beside this one. */
  readonly against?: number
  /** The judges of the pair said something else when it was exchanged. */
  readonly isByOrder?: boolean
  /** What it took. */
  readonly ms: number
  readonly usages: readonly Usage[]
}

export const NO_OUTPUT = 'no_output'

/** Unmet expectations, which are no errors of the row. */
const EXPECTATIONS: ReadonlySet<string> = new Set(['expect', 'matches', 'holds'])

/** Whether it concerns the evaluation as a whole, so that the share of its rows means nothing. */
export const isOfWhole = ({ input, code }: RowFinding): boolean => input === undefined && !EXPECTATIONS.has(code)

/** In the order of the rows. */
export const rateRows = (
  plan: TestPlan,
  { outcome, findings, scored }: RatedRun,
  rows: readonly Row[] | undefined,
): readonly RatedRow[] => {
  const outputs = outputsByInput(outcome)
  const wrong = new Map<number, RowFinding>()
  for (const finding of findings) {
    const { input } = finding
    if (input === undefined) continue
    const known = wrong.get(input)
    // That it failed says more than that an output is missing.
    if (!known || (EXPECTATIONS.has(known.code) && !EXPECTATIONS.has(finding.code))) wrong.set(input, finding)
  }
  // A condition on the outputs of several ports is about all rows.
  const ofAll = findings.find(({ input, code }) => input === undefined && code === 'holds')
  const needsOutput = !(plan.holds && looksAtOuts(plan.holds))
  return rowsOfInputs(outcome).map((inputs, i): RatedRow => {
    const gave = inputs.flatMap((input) => outputs.get(input) ?? [])
    const wanted = rows?.[i]?.expect
    const works = inputs.flatMap((input) => outcome.work.get(input) ?? [])
    const known = { outputs: gave, ms: works.reduce((sum, { ms }) => sum + ms, 0), usages: works.flatMap(({ usages }) => usages) }
    const found = inputs.map((input) => wrong.get(input)).find((one) => one !== undefined)
    if (found && !EXPECTATIONS.has(found.code)) return { ...known, score: 0, error: found.code, gave: found.message }
    if (gave.length === 0 && needsOutput && wanted?.length !== 0)
      return { ...known, score: 0, error: NO_OUTPUT, gave: 'nothing', ...(wanted ? { expected: wanted } : {}) }
    const unmet = found ?? ofAll
    if (unmet) {
      const { expected, got = gave[0] ?? 'nothing' } = unmet
      return { ...known, score: 0, gave: got, ...(expected === undefined ? {} : { expected: [expected] }) }
    }
    if (!scored) return { ...known, score: 1 }
    const scores = scored.scores.get(inputs[0] ?? 0)
    const judged = { ...known, gave: gave[0] ?? 'nothing' }
    return scores ? { ...judged, score: mean(scores), scores } : { ...judged, score: 0, error: 'judge' }
  })
}

/** The inputs of each row, by their numbers: of several ports the first messages are a row, then the second ones. */
export const rowsOfInputs = ({ inputs }: RunOutcome): readonly (readonly number[])[] => {
  const counts = new Map<string, number>()
  const rows: number[][] = []
  for (const [i, { port }] of inputs.entries()) {
    const row = counts.get(port) ?? 0
    counts.set(port, row + 1)
    const known = rows[row]
    if (known) known.push(i + 1)
    else rows.push([i + 1])
  }
  return rows
}
