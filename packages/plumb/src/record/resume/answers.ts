// What one agent answered, as a record has it, and what it remembers by that.

import type { Fault } from '@plumb/wire'

/** One of the two. */
export type RecordedOutcome =
  | { readonly output: string; readonly fault?: undefined }
  | { readonly output?: undefined; readonly fault: Fault }

/** A line of DIR/answers.jsonl, once it is read. Texts are JSON as it stood on the wire. */
export type AnswerLine =
  | ({ readonly process: string; readonly seq: number; readonly input: string } & RecordedOutcome)
  | { readonly process: string; readonly remembered: readonly unknown[] }

/** Nothing was paid for it, or it may go well the next time: it is asked again. */
const isAskedAgain = ({ error, category }: Fault): boolean => category === 'unavailable' || ASKED_AGAIN.has(error)

const ASKED_AGAIN = new Set<string>(['budget_spent', 'cancelled', 'child_failed', 'approval_required', 'unauthorized', 'write_failed'])

interface Entry {
  readonly seq: number
  readonly sealed: RecordedOutcome
}

export class RecordedAnswers {
  /** Of an agent that remembers: all it said, in order. */
  readonly memory: readonly unknown[]
  readonly #byInput = new Map<string, Entry[]>()

  /** `lines` are those of one agent, in order. An agent that remembers is told whole rounds only: an answer without what it added is none. */
  constructor(lines: readonly AnswerLine[], isAmnesiac: boolean) {
    const gains = lines.flatMap((line) => ('remembered' in line ? [line.remembered] : []))
    let rounds = 0
    for (const line of lines) {
      if ('remembered' in line || (line.fault && isAskedAgain(line.fault))) continue
      if (!line.fault && !isAmnesiac && ++rounds > gains.length) continue
      const { input, seq, ...sealed } = line
      const entries = this.#byInput.get(input)
      if (entries) entries.push({ seq, sealed: sealed as RecordedOutcome })
      else this.#byInput.set(input, [{ seq, sealed: sealed as RecordedOutcome }])
    }
    this.memory = isAmnesiac ? [] : gains.slice(0, rounds).flat()
  }

  /** Each answer serves once: that to the same input, else one to the same text. */
  take(seq: number, input: string): RecordedOutcome | undefined {
    const entries = this.#byInput.get(input)
    if (!entries) return undefined
    const at = entries.findIndex((entry) => entry.seq === seq)
    const [entry] = entries.splice(Math.max(at, 0), 1)
    return entry?.sealed
  }
}
