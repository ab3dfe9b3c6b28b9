// Judges that say which of two outputs for the same input is better: what the baseline gave is `a`, what the variant gave is `b`.

import type { Judge } from '@plumb/lang'
import { canonicalJson } from '@plumb/wire'
import { CallLog } from '../call-log.js'
import type { RowFinding } from '../check-outcome.js'
import type { RatedRow } from '../rate-rows.js'
import { mean, type Question, type Scored } from '../scored.js'
import type { SubjectRuns } from '../subject-runs.js'

export interface JudgedPair {
  /** From 0. */
  readonly row: number
  readonly given: string
  /** Of the file, if there is one. */
  readonly line: string | undefined
  readonly a: RatedRow
  readonly b: RatedRow
}

interface JudgedPairs {
  /** The rows of the variant with their scores, and those of the baseline beside them. */
  readonly judged: ReadonlyMap<number, RatedRow>
  readonly findings: readonly RowFinding[]
}

export const judgePairs = async (
  runs: SubjectRuns,
  judges: readonly Judge[],
  pairs: readonly JudgedPair[],
  { hasOrder, kept }: { readonly hasOrder: boolean; readonly kept: string },
): Promise<JudgedPairs> => {
  // Nobody has to be asked about a row that failed, or about equal outputs.
  const open = pairs.filter(({ a, b }) => isAnswered(a) && isAnswered(b) && !isSame(a, b))
  const verdicts = new Map<number, { readonly scores: number[]; isByOrder: boolean }>()
  const findings: RowFinding[] = []
  for (const judge of judges) {
    const ask = (isExchanged: boolean): Promise<Scored> =>
      runs.judge(
        judge,
        open.map((pair) => questionOf(pair, judge, isExchanged)),
        new CallLog(),
        kept,
      )
    const first = await ask(false)
    const second = hasOrder && open.length > 0 ? await ask(true) : undefined
    findings.push(...first.findings, ...(second?.findings ?? []))
    for (const { row } of open) {
      const [score] = first.scores.get(row + 1) ?? []
      const [exchanged] = second?.scores.get(row + 1) ?? []
      if (score === undefined) continue
      const isByOrder = exchanged !== undefined && score !== 1 - exchanged
      const known = verdicts.get(row) ?? { scores: [], isByOrder: false }
      known.scores.push(isByOrder ? TIE : score)
      known.isByOrder ||= isByOrder
      verdicts.set(row, known)
    }
  }
  const judged = new Map(
    pairs.map((pair) => {
      const verdict = verdicts.get(pair.row)
      return [pair.row, { ...judgedRow(pair, verdict?.scores), ...(hasOrder ? { isByOrder: verdict?.isByOrder === true } : {}) }] as const
    }),
  )
  return { judged, findings }
}

const TIE = 0.5

const isAnswered = ({ error, outputs }: RatedRow): boolean => error === undefined && outputs.length > 0

const isSame = (a: RatedRow, b: RatedRow): boolean => canonicalJson(a.outputs[0] ?? '') === canonicalJson(b.outputs[0] ?? '')

const questionOf = ({ row, given, line, a, b }: JudgedPair, { takesRow }: Judge, isExchanged: boolean): Question => {
  const [one = 'null', other = 'null'] = [a.outputs[0], b.outputs[0]]
  const [first, second] = isExchanged ? [other, one] : [one, other]
  return { input: row + 1, json: `{"given":${given},"a":${first},"b":${second}${takesRow && line !== undefined ? `,"row":${line}` : ''}}` }
}

const judgedRow = ({ a, b }: JudgedPair, scores: readonly number[] | undefined): RatedRow => {
  if (!isAnswered(b)) return { ...b, score: 0, against: isAnswered(a) ? 1 : 0 }
  if (!isAnswered(a)) return { ...b, score: 1, against: 0 }
  if (isSame(a, b)) return { ...b, score: TIE, against: TIE }
  if (!scores) return { ...b, score: 0, against: 0, error: 'judge' }
  const score = mean(scores)
  return { ...b, score, against: 1 - score, scores, gave: b.outputs[0] ?? 'nothing' }
}
