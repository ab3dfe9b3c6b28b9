// The recorded answers of one agent, and its memory after them.

import type { Fault } from '@plumb/wire'

/** An output or an error. */
export type RecordedOutcome =
  | { readonly output: string; readonly fault?: undefined }
  | { readonly output?: undefined; readonly fault: Fault }

/** A line of DIR/answers.jsonl. Inputs and outputs are JSON, as on the wire. */
export type AnswerLine =
  | ({ readonly process: string; readonly seq: number; readonly input: string } & RecordedOutcome)
  | { readonly process: string; readonly remembered: readonly unknown[] }

/** It cost nothing, or may succeed the next time. */
const isAskedAgain = ({ error, category }: Fault): boolean => category === 'unavailable' || ASKED_AGAIN.has(error)

const ASKED_AGAIN = new Set<string>([
  'budget_spent',
  'cancelled',
  'child_failed',
  'approval_required',
  'unauthorized',
  'write_failed',
  'parked',
  'in_doubt',
])

interface Entry {
  readonly seq: number
  readonly outcome: RecordedOutcome
}

export class RecordedAnswers {
  /** The messages that it remembers, in order. */
  readonly memory: readonly unknown[]
  readonly #byInput = new Map<string, Entry[]>()

  /** `lines`: of one agent, in order. For an agent with memory an answer counts only with the messages that it added to the memory. */
  constructor(lines: readonly AnswerLine[], isAmnesiac: boolean) {
    const additions = lines.flatMap((line) => ('remembered' in line ? [line.remembered] : []))
    let rounds = 0
    for (const line of lines) {
      if ('remembered' in line || (line.fault && isAskedAgain(line.fault))) continue
      if (!line.fault && !isAmnesiac && ++rounds > additions.length) continue
      const { input, seq, ...outcome } = line
      const entries = this.#byInput.get(input)
      if (entries) entries.push({ seq, outcome: outcome as RecordedOutcome })
      else this.#byInput.set(input, [{ seq, outcome: outcome as RecordedOutcome }])
    }
    this.memory = isAmnesiac ? [] : additions.slice(0, rounds).flat()
  }

  /** Each answer is given once: the one to the same input, else one to the same text. */
  take(seq: number, input: string): RecordedOutcome | undefined {
    const entries = this.#byInput.get(input)
    if (!entries) return undefined
    const at = entries.findIndex((entry) => entry.seq === seq)
    const [entry] = entries.splice(Math.max(at, 0), 1)
    return entry?.outcome
  }
}
