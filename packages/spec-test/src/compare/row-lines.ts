// The lines of --rows: each row of each variant, in each repetition.

import type { TestPlan } from '@plumb/lang'
import type { Prices } from '@plumb/ledger'
import { toDollars } from '@plumb/wire'
import type { RatedRuns } from '../evaluation.js'
import type { RatedRow } from '../rate-rows.js'
import { indexesOf } from './compared-test.js'
import { firstWire } from './first-wire.js'
import { isUnpaid, type Measured, type MeasuredTest } from './measure.js'
import { type Taken, Takings } from './taken.js'
import { AS_IT_STANDS } from './variant.js'

export const rowLines = ({ measured }: MeasuredTest, prices: Prices | undefined): readonly string[] => {
  const takings = new Takings(measured, prices)
  const [baseline] = measured
  return indexesOf(baseline?.rows ?? new Map()).flatMap((row) => measured.flatMap((one) => linesOf(row, one, baseline, takings)))
}

const linesOf = (row: number, one: Measured, baseline: Measured | undefined, takings: Takings): readonly string[] => {
  const { plan, name } = one.variant
  const { runs = [], steps = [] } = one.rows.get(row) ?? {}
  const before = one === baseline ? undefined : baseline?.rows.get(row)
  return runs.map((rated, i) =>
    lineOf(rated, {
      ...{ test: plan.name, row, variant: name, isScored: plan.judges.length > 0 },
      run: plan.runs > 1 ? i + 1 : undefined,
      wire: before && !isUnpaid(before.runs, [rated]) ? firstWire(before.steps[i] ?? [], steps[i] ?? []) : undefined,
      taken: takings.of(row, i, rated),
    }),
  )
}

/** Of an evaluation that was not compared. */
export const rowLinesOf = ({ name, judges }: TestPlan, all: RatedRuns, prices: Prices | undefined): readonly string[] => {
  const takings = new Takings([], prices)
  return (all[0] ?? []).flatMap((_, row) =>
    all.flatMap((runs, i) => {
      const rated = runs[row]
      if (!rated) return []
      const known = { test: name, row, variant: AS_IT_STANDS.name, isScored: judges.length > 0 }
      return [lineOf(rated, { ...known, run: all.length > 1 ? i + 1 : undefined, wire: undefined, taken: takings.of(row, i, rated) })]
    }),
  )
}

interface LineParts {
  readonly test: string
  /** From 0. */
  readonly row: number
  readonly run: number | undefined
  readonly variant: string
  readonly isScored: boolean
  readonly wire: string | undefined
  readonly taken: Taken
}

const lineOf = ({ outputs, score, error }: RatedRow, { test, row, run, variant, isScored, wire, taken }: LineParts): string => {
  const head = JSON.stringify({ test, row: row + 1, run, variant }).slice(0, -1)
  const rest = JSON.stringify({
    score,
    held: isScored ? null : score === 1,
    error: error ?? null,
    first_wire: wire ?? null,
    cost: toDollars(taken.nano),
    ms: Math.round(taken.ms * 1000) / 1000,
  })
  // Outputs keep their digits.
  return `${head},"outputs":[${outputs.join(',')}],${rest.slice(1)}\n`
}
