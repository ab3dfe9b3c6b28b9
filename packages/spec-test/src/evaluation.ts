// An evaluation: how many rows of all runs passed, or their scores by a judge, and whether that is enough.

import type { TestPlan } from '@plumb/lang'
import { preview } from '@plumb/wire'
import type { RowFinding } from './check-outcome.js'
import { shareInterval } from './report/interval.js'
import type { Share } from './report/result.js'
import type { Given, RunOutcome } from './run-once.js'
import type { Scored } from './scored.js'

const MAX_WORST = 5

/** One run of all rows. */
export interface RatedRun {
  readonly outcome: RunOutcome
  /** Errors of rows and of the whole. */
  readonly findings: readonly RowFinding[]
  /** Undefined: there is no judge. */
  readonly scored: Scored | undefined
}

export interface Evaluation {
  readonly share: Share
  /** Errors that concern no row, and an insufficient share. */
  readonly findings: readonly RowFinding[]
}

/** One row, in all runs. */
interface Rated {
  readonly input: number
  /** From 0 to 1: the mean of all runs. */
  readonly score: number
  /** Of the first run that scored less than 1. */
  readonly gave: string | undefined
}

export const evaluateAgent = (atLeast: number, { judge }: TestPlan, runs: readonly RatedRun[], given: Given): Evaluation => {
  const inputs = [...given.values()][0] ?? []
  const count = Math.max(0, ...[...given.values()].map(({ length }) => length))
  const rated = Array.from({ length: count }, (_, i) => rate(i + 1, runs))
  const rows = runs.length * count
  const total = rated.reduce((sum, { score }) => sum + score, 0)
  const score = count === 0 ? 1 : total / count
  const others = runs.flatMap(({ findings, scored }) => [
    ...findings.filter(({ input }) => input === undefined),
    ...(scored?.findings ?? []),
  ])
  const share: Share = {
    ...(judge ? { score: rounded(score) } : { passed: Math.round(total * runs.length) }),
    rows,
    ...shareInterval(score * rows, rows),
    worst: worstOf(rated, runs.length, inputs, judge !== undefined),
  }
  const isEnough = count === 0 ? atLeast === 0 : score >= atLeast - 1e-9
  const [of, times] = [`of ${rows} rows`, `${atLeast}`]
  const message = judge
    ? `the mean score ${of} is ${showScore(score)}, and has to be ${times}`
    : `it held for ${share.passed} ${of}, and has to for ${times} of them`
  // An error that concerns no row makes their share meaningless.
  return { share, findings: isEnough || others.length > 0 ? others : [{ code: 'at_least', message }] }
}

const rate = (input: number, runs: readonly RatedRun[]): Rated => {
  let [sum, gave]: [number, string | undefined] = [0, undefined]
  for (const run of runs) {
    const wrong = run.findings.find((finding) => finding.input === input)
    const score = wrong ? 0 : run.scored ? (run.scored.scores.get(input) ?? 0) : 1
    sum += score
    if (score < 1) gave ??= wrong ? (wrong.got ?? wrong.message) : outputOf(run.outcome, input)
  }
  return { input, score: sum / runs.length, gave }
}

const outputOf = ({ outputs }: RunOutcome, input: number): string =>
  [...outputs.values()].flat().find(({ seqs }) => seqs[0] === input)?.json ?? 'nothing'

const worstOf = (rated: readonly Rated[], runs: number, inputs: readonly string[], isScored: boolean): readonly string[] =>
  rated
    .filter(({ score }) => score < 1)
    .sort((a, b) => a.score - b.score || a.input - b.input)
    .slice(0, MAX_WORST)
    .map(({ input, score, gave = '' }) => {
      const times = isScored ? `: score ${showScore(score)}` : runs > 1 ? `, failed ${Math.round((1 - score) * runs)} of ${runs} times` : ''
      return `${preview(inputs[input - 1] ?? '')} gave ${preview(gave)}${times}`
    })

const showScore = (score: number): string => String(rounded(score))

const rounded = (score: number): number => Math.round(score * 10_000) / 10_000
