// judge: another process of the spec scores each output, beside the input that it stems from.

import type { Judge, TestPlan } from '@plumb/lang'
import { preview } from '@plumb/wire'
import type { RowFinding } from './check-outcome.js'
import type { Row } from './rows.js'
import type { Given, RunOutcome } from './run-once.js'

export interface Scored {
  /** By the number of the input, from 1: from 0 to 1, the mean of those of its outputs, of each judge. An input without outputs has none. */
  readonly scores: ReadonlyMap<number, readonly number[]>
  /** Why there are no more scores. */
  readonly findings: readonly RowFinding[]
}

/** What a judge is asked about an input. */
export interface Question {
  readonly input: number
  readonly json: string
}

/** The judge as a test subject, with the same models and tools. */
export const planOfJudge = (plan: TestPlan, { of, input, output }: Judge): TestPlan => ({
  ...plan,
  of,
  inputs: [input],
  outputs: [output],
})

/** `{ given, out }` for each output whose input is known. */
export const questionsOf = ({ inputs, outputs }: RunOutcome, { takesRow }: Judge, rows: readonly Row[] | undefined): readonly Question[] =>
  [...outputs.values()].flat().flatMap(({ seqs: [seq, another], json }) => {
    const given = seq === undefined || another !== undefined ? undefined : inputs[seq - 1]?.json
    const row = takesRow ? rows?.[(seq ?? 0) - 1]?.json : undefined
    return given === undefined ? [] : [{ input: seq as number, json: `{"given":${given},"out":${json}${row ? `,"row":${row}` : ''}}` }]
  })

/** `run` runs the judge over messages of its input port. */
export const scoreRows = async (
  judge: Judge,
  questions: readonly Question[],
  run: (given: Given) => Promise<RunOutcome>,
): Promise<Scored> => {
  const outcome = await run(new Map([[judge.input.name, questions.map(({ json }) => json)]]))
  const findings: RowFinding[] = outcome.asked.unanswered.map((finding) => ({ ...finding }))
  for (const input of outcome.late) findings.push(failed(judge, 'timeout', 'it gave nothing in its time', questions[input - 1]))
  if (findings.length === 0)
    for (const { error, detail, seq } of outcome.faults)
      findings.push(failed(judge, String(error), detail, questions[Number(seq ?? 0) - 1]))
  const found = new Map<number, number[]>()
  for (const { seqs, json } of outcome.outputs.get(judge.output.name) ?? []) {
    const question = questions[(seqs[0] ?? 0) - 1]
    if (!question) continue
    const score = scoreIn(judge, json)
    if (score < 0 || score > 1) findings.push(outOfBounds(judge, score, question.json))
    else found.set(question.input, [...(found.get(question.input) ?? []), score])
  }
  return { scores: new Map([...found].map(([input, scores]) => [input, [mean(scores)]])), findings }
}

/** Of a pair that of `b`. */
const scoreIn = ({ kind }: Judge, json: string): number => {
  const { score, better } = JSON.parse(json) as { readonly score: number; readonly better: 'a' | 'b' | 'tie' }
  if (kind === 'score') return score
  return better === 'b' ? 1 : better === 'a' ? 0 : 0.5
}

/** The scores of all judges, in their order. */
export const together = (all: readonly Scored[]): Scored => {
  const inputs = new Set(all.flatMap(({ scores }) => [...scores.keys()]))
  const scoresOf = (input: number) => all.flatMap(({ scores }) => scores.get(input) ?? [])
  return { scores: new Map([...inputs].map((input) => [input, scoresOf(input)])), findings: all.flatMap(({ findings }) => findings) }
}

const failed = ({ of }: Judge, code: string, detail: string, pair: { readonly json: string } | undefined): RowFinding => ({
  code,
  message: `'${of.name}', the judge: ${detail}${pair ? `; of ${preview(pair.json)}` : ''}`,
})

const outOfBounds = ({ of }: Judge, score: number, pair: string): RowFinding => ({
  code: 'judge',
  message: `'${of.name}' gave the score ${score}, and a score is from 0 to 1; of ${preview(pair)}`,
})

export const mean = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0) / numbers.length
