// An evaluation: how many rows of all runs were held, or their scores by a judge, and whether that is enough.

import type { TestPlan } from '@plumb/lang'
import { preview } from '@plumb/wire'
import type { RowFinding } from './check-outcome.js'
import { NO_OUTPUT, type RatedRow } from './rate-rows.js'
import { shareInterval } from './report/interval.js'
import type { Share } from './report/result.js'
import { krippendorffAlpha } from './statistics/agreement.js'

/** By runs, then by rows. */
export type RatedRuns = readonly (readonly RatedRow[])[]

export interface Evaluation {
  readonly share: Share
  /** Errors that concern no row, and an insufficient share. */
  readonly findings: readonly RowFinding[]
}

export const evaluate = (
  { atLeast = 0, judges }: TestPlan,
  { runs, inputs, others }: { readonly runs: RatedRuns; readonly inputs: readonly string[]; readonly others: readonly RowFinding[] },
): Evaluation => {
  const means = meanScores(runs)
  const count = means.length
  const score = count === 0 ? 1 : sum(means) / count
  const total = runs.length * count
  const errors = countErrors(runs)
  const isScored = judges.length > 0
  const alpha = agreement(runs)
  const share: Share = {
    ...(isScored ? { score: rounded(score) } : { passed: Math.round(sum(means) * runs.length) }),
    rows: total,
    // Repetitions of a row are no rows of their own.
    ...shareInterval(score * count, count),
    ...(Object.keys(errors).length === 0 ? {} : { errors }),
    ...(alpha === undefined ? {} : { alpha }),
    worst: worstOf(runs, means, inputs, isScored),
  }
  const isEnough = count === 0 ? atLeast === 0 : score >= atLeast - 1e-9
  const [of, times] = [`of ${total} rows`, `${atLeast}`]
  const message = isScored
    ? `the mean score ${of} is ${rounded(score)}, and has to be ${times}`
    : `it held for ${share.passed} ${of}, and has to for ${times} of them`
  // An error that concerns no row makes their share meaningless.
  return { share, findings: isEnough || others.length > 0 ? others : [{ code: 'at_least', message }] }
}

/** Of each row, over all runs. */
export const meanScores = (runs: RatedRuns): readonly number[] =>
  (runs[0] ?? []).map((_, i) => sum(runs.map((rows) => rows[i]?.score ?? 0)) / runs.length)

/** Of several judges; undefined: there is one, or chance would agree as well. */
export const agreement = (runs: RatedRuns): number | undefined => {
  const rows = runs.flatMap((rated) => rated.flatMap(({ scores }) => (scores && scores.length > 1 ? [scores] : [])))
  const alpha = krippendorffAlpha(rows)
  return alpha === undefined ? undefined : rounded(alpha)
}

/** How many rows of all runs failed with each code. */
export const countErrors = (runs: RatedRuns): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  for (const { error } of runs.flat()) if (error !== undefined) counts.set(error, (counts.get(error) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)))
}

// All of them; reports for people show the first.
const worstOf = (runs: RatedRuns, means: readonly number[], inputs: readonly string[], isScored: boolean): readonly string[] =>
  means
    .map((score, i) => ({ score, i }))
    .filter(({ score }) => score < 1)
    .sort((a, b) => a.score - b.score || a.i - b.i)
    .map(({ score, i }) => {
      const failing = runs.map((rows) => rows[i]).find((row) => row && row.score < 1)
      const times = isScored
        ? `: score ${rounded(score)}`
        : runs.length > 1
          ? `, failed ${Math.round((1 - score) * runs.length)} of ${runs.length} times`
          : ''
      return `${preview(inputs[i] ?? '')}${failing ? whatCame(failing) : ''}${times}`
    })

/** Of an error, whose cause may be at its end. */
const MAX_ERROR = 240

const whatCame = ({ error, gave = 'nothing', expected }: RatedRow): string => {
  const wanted = expected === undefined ? '' : `, expected ${expected.length === 0 ? 'nothing' : preview(expected.join(', '))}`
  return error === undefined || error === NO_OUTPUT || error === 'judge'
    ? ` gave ${preview(gave)}${wanted}`
    : `: ${preview(gave, MAX_ERROR)}`
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

const rounded = (score: number): number => Math.round(score * 10_000) / 10_000
