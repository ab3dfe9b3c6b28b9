// The recorded answers of one agent, and its memory after them.

import type { Fault } from '@plumb/wire'

/** An output or an error. */
export type RecordedOutcome =
  | { readonly output: string; readonly fault?: undefined }
  | { readonly output?: undefined; readonly fault: Fault }

/** The line of an output, with its end, or an error. */
export type ReplayedOutcome = { readonly line: Buffer; readonly fault?: undefined } | { readonly line?: undefined; readonly fault: Fault }

/** The recorded answers of one agent. */
export interface ReplayAnswers {
  /** To a message of the input `seq`; each is given once. Undefined: there is none. */
  take(seq: number, buf: Buffer, start: number, end: number): ReplayedOutcome | undefined
}

/** A tool call inside a call: `of` is the input of that call, and `call` its number. */
type PartLine = {
  readonly process: string
  readonly seq: number
  readonly of: string
  readonly call: number
  readonly tool: string
  readonly input: string
} & RecordedOutcome

/** A line of DIR/answers.jsonl. Inputs and outputs are JSON, as on the wire. */
export type AnswerLine =
  | ({ readonly process: string; readonly seq: number; readonly input: string; readonly call?: number } & RecordedOutcome)
  | PartLine
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

interface BegunCall {
  readonly call: number
  /** By tool and input. */
  readonly outcomes: Map<string, RecordedOutcome[]>
}

/** Results of inner tool calls, if a run ended in the middle of a call. */
export class RecordedParts {
  /** The highest number of a call. */
  readonly last: number
  readonly #begun = new Map<string, BegunCall[]>()

  constructor(lines: readonly AnswerLine[]) {
    const answered = new Set<number>()
    const begun = new Map<number, BegunCall>()
    let last = 0
    for (const line of lines) {
      if ('remembered' in line || line.call === undefined) continue
      last = Math.max(last, line.call)
      if (line.fault && isAskedAgain(line.fault)) continue
      if (!('tool' in line)) {
        answered.add(line.call)
        continue
      }
      const { seq, of, call, tool, input } = line
      const known = begun.get(call) ?? { call, outcomes: new Map() }
      if (!begun.has(call)) {
        begun.set(call, known)
        append(this.#begun, answerKey(seq, of), known)
      }
      append(known.outcomes, answerKey(tool, input), line.fault ? { fault: line.fault } : { output: line.output })
    }
    this.last = last
    for (const [key, calls] of this.#begun)
      this.#begun.set(
        key,
        calls.filter(({ call }) => !answered.has(call)),
      )
  }

  /** Each is given once, to the call that continues under its number. */
  take(seq: number, of: string): BegunCall | undefined {
    return this.#begun.get(answerKey(seq, of))?.shift()
  }
}

export const answerKey = (one: number | string, text: string): string => `${one} ${text}`

const append = <T>(lists: Map<string, T[]>, key: string, value: T): void => {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

export class RecordedAnswers {
  /** Its memory, in order. */
  readonly memory: readonly unknown[]
  /** Inputs of unanswered calls. */
  readonly parts: RecordedParts
  readonly #byInput = new Map<string, Entry[]>()

  /** `lines`: of one agent, in order. For an agent with memory an answer counts only with the messages that it added to the memory. */
  constructor(lines: readonly AnswerLine[], isAmnesiac: boolean) {
    const additions = lines.flatMap((line) => ('remembered' in line ? [line.remembered] : []))
    let rounds = 0
    this.parts = new RecordedParts(lines)
    for (const line of lines) {
      if ('remembered' in line || 'tool' in line || (line.fault && isAskedAgain(line.fault))) continue
      if (!line.fault && !isAmnesiac && ++rounds > additions.length) continue
      const { input, seq, process: _, call: __, ...outcome } = line
      const entries = this.#byInput.get(input)
      if (entries) entries.push({ seq, outcome: outcome as RecordedOutcome })
      else this.#byInput.set(input, [{ seq, outcome: outcome as RecordedOutcome }])
    }
    this.memory = isAmnesiac ? [] : additions.slice(0, rounds).flat()
  }

  /** As they are taken for messages on a wire. */
  get ofBytes(): ReplayAnswers {
    return {
      take: (seq, buf, start, end) => {
        const outcome = this.take(seq, buf.toString('utf8', start, end))
        return outcome?.fault ? outcome : outcome && { line: Buffer.from(`${outcome.output}\n`) }
      },
    }
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
