// judge: another process of the spec scores each output, beside the input that it stems from.

import type { Judge, TestPlan } from '@plumb/lang'
import { preview } from '@plumb/wire'
import type { RowFinding } from './check-outcome.js'
import type { Row } from './rows.js'
import type { Given, RunOutcome } from './run-once.js'

export interface Scored {
  /** By the number of the input, from 1: from 0 to 1, the mean of those of its outputs. An input without outputs has none. */
  readonly scores: ReadonlyMap<number, number>
  /** Why there are no more scores. */
  readonly findings: readonly RowFinding[]
  /** Of the run of the judge. */
  readonly outcome: RunOutcome
}

/** The judge as a test subject, with the same models and tools. */
export const planOfJudge = (plan: TestPlan, { of, input, output }: Judge): TestPlan => ({
  ...plan,
  of,
  inputs: [input],
  outputs: [output],
})

/** `{ given, out }` for each output whose input is known. */
export const pairsOf = ({ inputs, outputs }: RunOutcome, { takesRow }: Judge, rows: readonly Row[] | undefined) =>
  [...outputs.values()].flat().flatMap(({ seqs: [seq, another], json }) => {
    const given = seq === undefined || another !== undefined ? undefined : inputs[seq - 1]?.json
    const row = takesRow ? rows?.[(seq ?? 0) - 1]?.json : undefined
    return given === undefined ? [] : [{ input: seq as number, json: `{"given":${given},"out":${json}${row ? `,"row":${row}` : ''}}` }]
  })

/** `run` runs the judge over messages of its input port. */
export const scoreRows = async (
  judge: Judge,
  pairs: ReturnType<typeof pairsOf>,
  run: (given: Given) => Promise<RunOutcome>,
): Promise<Scored> => {
  const outcome = await run(new Map([[judge.input.name, pairs.map(({ json }) => json)]]))
  const findings: RowFinding[] = outcome.asked.unanswered.map((finding) => ({ ...finding }))
  for (const input of outcome.late) findings.push(failed(judge, 'timeout', 'it gave nothing in its time', pairs[input - 1]))
  if (findings.length === 0)
    for (const { error, detail, seq } of outcome.faults) findings.push(failed(judge, String(error), detail, pairs[Number(seq ?? 0) - 1]))
  const found = new Map<number, number[]>()
  for (const { seqs, json } of outcome.outputs.get(judge.output.name) ?? []) {
    const pair = pairs[(seqs[0] ?? 0) - 1]
    const { score } = JSON.parse(json) as { readonly score: number }
    if (!pair) continue
    if (score < 0 || score > 1) findings.push(outOfBounds(judge, score, pair.json))
    else found.set(pair.input, [...(found.get(pair.input) ?? []), score])
  }
  return { scores: new Map([...found].map(([input, scores]) => [input, mean(scores)])), findings, outcome }
}

const failed = ({ of }: Judge, code: string, detail: string, pair: { readonly json: string } | undefined): RowFinding => ({
  code,
  message: `'${of.name}', the judge: ${detail}${pair ? `; of ${preview(pair.json)}` : ''}`,
})

const outOfBounds = ({ of }: Judge, score: number, pair: string): RowFinding => ({
  code: 'judge',
  message: `'${of.name}' gave the score ${score}, and a score is from 0 to 1; of ${preview(pair)}`,
})

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0) / numbers.length
