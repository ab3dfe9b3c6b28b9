// The comparison of one test, from what was measured of each variant.

import type { Prices } from '@plumb/ledger'
import { toDollars } from '@plumb/wire'
import { agreement, countErrors, meanScores, type RatedRuns } from '../evaluation.js'
import type { ComparedTest, ComparedVariant } from '../report/compared.js'
import { positionText, titleOf } from '../report/words.js'
import { mean } from '../scored.js'
import { holm } from '../statistics/holm.js'
import { hash } from '../subject-runs.js'
import { firstWire } from './first-wire.js'
import { isUnpaid, type Measured, type MeasuredRow, type MeasuredTest, meanOf } from './measure.js'
import { Takings } from './taken.js'
import { type Differences, differencesOf, verdictOf } from './verdict.js'

/** All tests together: p is corrected over all of their comparisons. */
export const comparedTests = (tests: readonly MeasuredTest[], seed: number, prices: Prices | undefined): readonly ComparedTest[] => {
  const looked = tests.filter(({ measured }) => measured.length > 1).map((test) => ({ test, differences: differencesIn(test, seed) }))
  const adjusted = [...holm(looked.flatMap(({ differences }) => differences.map(({ p }) => p)))]
  const corrected = adjusted.length
  return looked.map(({ test, differences }) => {
    const ps = adjusted.splice(0, differences.length)
    return { ...comparedTest(test, differences, ps, prices), ...(corrected > 1 ? { corrected } : {}) }
  })
}

const differencesIn = ({ measured: [baseline, ...others] }: MeasuredTest, seed: number): readonly Differences[] =>
  others.map(({ variant, rows, anytime }) => {
    const { plan } = variant
    const isYesNo = plan.judges.length === 0 && plan.runs === 1
    const asked = indexesOf(rows).filter((row) => !isUnpaid(runsAt(baseline, row), runsAt({ rows }, row)))
    const pairs = asked.map((row) => [baselineMean(baseline, { rows }, row), meanOf(runsAt({ rows }, row))] as const)
    return differencesOf(pairs, { isYesNo, seed: hash(`${seed} ${plan.name}`), anytime })
  })

const comparedTest = (
  { measured, rows: total }: MeasuredTest,
  differences: readonly Differences[],
  ps: readonly number[],
  prices: Prices | undefined,
): ComparedTest => {
  const [baseline] = measured as readonly [Measured, ...Measured[]]
  const takings = new Takings(measured, prices)
  const { name, of, place } = baseline.result
  const variants = measured.map((one, i): ComparedVariant => {
    const found = differences[i - 1]
    const own = summaryOf(one, takings)
    return found ? { ...own, ...comparedTo(baseline, one, found, ps[i - 1] ?? 1) } : { ...own, first_wires: {} }
  })
  return { test: name, title: `${positionText(place)}: ${titleOf({ name, of })}`, baseline: baseline.variant.name, variants, total }
}

const comparedTo = (baseline: Measured, one: Measured, found: Differences, adjustedP: number): Partial<ComparedVariant> => ({
  difference: digits(found.difference),
  difference_low: digits(found.low),
  difference_high: digits(found.high),
  ...(found.mcnemarP === undefined ? {} : { mcnemar_p: precise(found.mcnemarP) }),
  adjusted_p: precise(adjustedP),
  better: found.better,
  worse: found.worse,
  equal: found.equal,
  verdict: verdictOf(found.difference, adjustedP),
  would_see: digits(found.wouldSee),
  ...(one.stoppedAt === undefined ? {} : { stopped_at: one.stoppedAt }),
  first_wires: firstWiresOf(baseline, one),
})

const summaryOf = ({ variant, result, rows }: Measured, takings: Takings): ComparedVariant => {
  const indexes = indexesOf(rows)
  const { plan } = variant
  const runs: RatedRuns = Array.from({ length: plan.runs }, (_, i) => indexes.flatMap((row) => runsAt({ rows }, row)[i] ?? []))
  const means = meanScores(runs)
  const alpha = agreement(runs)
  const mean = means.reduce((sum, one) => sum + one, 0) / Math.max(1, means.length)
  const taken = indexes.flatMap((row) => runsAt({ rows }, row).map((run, i) => takings.of(row, i, run)))
  const times = taken.map(({ ms }) => ms).sort((a, b) => a - b)
  const sum = (of: (one: (typeof taken)[number]) => number): number => taken.reduce((total, one) => total + of(one), 0)
  const unpriced = [...new Set(taken.flatMap(({ unpriced }) => unpriced))]
  const held = indexes.map((row) => runsAt({ rows }, row).filter(({ score }) => score === 1).length)
  const shareOf = (isIt: (count: number) => boolean) => digits(held.filter(isIt).length / Math.max(1, held.length))
  return {
    variant: variant.name,
    rows: indexes.length,
    ...(plan.judges.length > 0 ? { mean: digits(mean) } : { share: digits(mean) }),
    low: digits(result.share?.low ?? 0),
    high: digits(result.share?.high ?? 1),
    errors: countErrors(runs),
    ...(alpha === undefined ? {} : { alpha }),
    ...(runs.flat().some(({ isByOrder }) => isByOrder !== undefined)
      ? { order_decided: runs.flat().filter(({ isByOrder }) => isByOrder).length }
      : {}),
    cost: toDollars(sum(({ nano }) => nano)),
    ...(unpriced.length > 0 ? { unpriced } : {}),
    tokens: sum(({ tokens }) => tokens),
    requests: sum(({ requests }) => requests),
    p50_ms: digits(at(times, 0.5)),
    p95_ms: digits(at(times, 0.95)),
    ...(plan.runs > 1 && plan.judges.length === 0
      ? { pass_at_k: shareOf((count) => count > 0), pass_all_k: shareOf((count) => count === plan.runs) }
      : {}),
  }
}

/** Where the rows that got worse part first, the most frequent first. */
const firstWiresOf = (baseline: Measured, one: Measured): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  for (const [row, measured] of one.rows) {
    const before = baseline.rows.get(row)
    if (!before || isUnpaid(before.runs, measured.runs) || meanOf(measured.runs) >= baselineMean(baseline, one, row) - 1e-12) continue
    const wire = partingOf(before, measured)
    if (wire !== undefined) counts.set(wire, (counts.get(wire) ?? 0) + 1)
  }
  return Object.fromEntries([...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)))
}

/** In the first repetition that is worse, else in the first that is another. */
const partingOf = (before: MeasuredRow, now: MeasuredRow): string | undefined => {
  const order = now.runs.map((_, i) => i).sort((a, b) => Number(isWorse(before, now, b)) - Number(isWorse(before, now, a)) || a - b)
  return order.map((i) => firstWire(before.steps[i] ?? [], now.steps[i] ?? [])).find((wire) => wire !== undefined)
}

const isWorse = (before: MeasuredRow, now: MeasuredRow, i: number): boolean =>
  (now.runs[i]?.score ?? 0) < (now.runs[i]?.against ?? before.runs[i]?.score ?? 0)

export const indexesOf = (rows: Measured['rows']): readonly number[] => [...rows.keys()].sort((a, b) => a - b)

/** Of pairs that of the baseline beside this variant. */
const baselineMean = (baseline: Measured | undefined, one: Pick<Measured, 'rows'>, row: number): number => {
  const beside = runsAt(one, row).flatMap(({ against }) => against ?? [])
  return beside.length > 0 ? mean(beside) : meanOf(runsAt(baseline, row))
}

const runsAt = (measured: Pick<Measured, 'rows'> | undefined, row: number) => measured?.rows.get(row)?.runs ?? []

const at = (sorted: readonly number[], share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0

/** Six digits behind the point. */
const digits = (number: number): number => Math.round(number * 1e6) / 1e6

/** Without the digits that rounding leaves. */
const precise = (p: number): number => Number(p.toPrecision(12))
