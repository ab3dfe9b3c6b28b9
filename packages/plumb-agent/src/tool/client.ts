// Requests out and answers in, whatever carries them, matched by id in any order.

import { type Fault, fault, isRecord, preview, startDeadline } from '@plumb/wire'
import type { Dispatcher, ToolAnswer, ToolRequest } from './dispatcher.js'

export interface ExchangeParts {
  /** One line. */
  readonly send: (json: string) => void
  /** What came and was no answer to anything. */
  readonly onFault: (fault: Fault) => void
  /** Answers may stand there before they are asked for, as in a file. */
  readonly isRecorded?: boolean
}

// Answers that nobody waits for any more, and those that wait for their question, are known up to this many.
const MAX_KEPT = 1000

export class Exchange implements Dispatcher {
  readonly #parts: ExchangeParts
  readonly #open = new Map<string, (answer: ToolAnswer) => void>()
  readonly #abandoned = new Set<string>()
  readonly #early = new Map<string, ToolAnswer>()
  #end: Fault | undefined

  constructor(parts: ExchangeParts) {
    this.#parts = parts
  }

  ask({ id, name, input }: ToolRequest, timeoutMs: number, signal: AbortSignal): Promise<ToolAnswer> {
    if (signal.aborted) return Promise.resolve(toAnswer(CANCELLED))
    const early = this.#early.get(id)
    if (this.#end && !early) return Promise.resolve(toAnswer(this.#end))
    return new Promise((resolve) => {
      const settle = (answer: ToolAnswer): void => {
        forget()
        signal.removeEventListener('abort', abandon)
        this.#open.delete(id)
        resolve(answer)
      }
      const giveUp = (why: Fault): void => {
        this.#abandon(id)
        settle(toAnswer(why))
      }
      const abandon = () => giveUp(CANCELLED)
      const forget = startDeadline(timeoutMs, () => giveUp(tooLate(name, timeoutMs)))
      signal.addEventListener('abort', abandon)
      this.#open.set(id, settle)
      this.#parts.send(`{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"input":${input}}`)
      if (early && this.#early.delete(id)) settle(early)
    })
  }

  /** One line of the other side. */
  receive(message: unknown): void {
    const id = isRecord(message) && typeof message.id === 'string' ? message.id : undefined
    if (id === undefined) return this.#complain(`an answer to a tool call is {"id","content","is_error"}, found ${show(message)}`)
    const answer = readAnswer(message as Readonly<Record<string, unknown>>)
    const settle = this.#open.get(id)
    if (settle) settle(answer)
    else if (this.#abandoned.delete(id)) return
    else if (this.#parts.isRecorded && this.#early.size < MAX_KEPT) this.#early.set(id, answer)
    else this.#complain(`no tool call with the id '${preview(id)}' waits for an answer`)
  }

  /** A line that cannot be read. Where one call alone is open, the line was its answer. */
  refuse(error: Fault): void {
    this.#parts.onFault({ ...error, port: 'tool_resp' })
    const [only] = this.#open.values()
    if (only && this.#open.size === 1) only(toAnswer(error))
  }

  /** No answer comes any more, so that each open call, and each later one, has this. Returns how many were open. */
  end(why: Fault): number {
    this.#end ??= why
    return this.#settleAll(why)
  }

  /** The answers to the calls that are open now cannot be waited for. */
  giveUp(why: Fault): void {
    for (const id of this.#open.keys()) this.#abandon(id)
    this.#settleAll(why)
  }

  #settleAll(why: Fault): number {
    const open = [...this.#open.values()]
    for (const settle of open) settle(toAnswer(why))
    return open.length
  }

  #abandon(id: string): void {
    this.#abandoned.add(id)
    const [oldest] = this.#abandoned
    if (oldest !== undefined && this.#abandoned.size > MAX_KEPT) this.#abandoned.delete(oldest)
  }

  #complain(detail: string): void {
    this.#parts.onFault(fault('input_type_mismatch', detail, { port: 'tool_resp' }))
  }
}

export const toAnswer = (error: Fault): ToolAnswer => ({ content: JSON.stringify(error), isError: true })

export const CANCELLED = fault('cancelled', 'the answer that asked for this call was dropped')

const tooLate = (name: string, timeoutMs: number): Fault =>
  fault('timeout', `tool '${preview(name)}' gave no answer within ${Math.round(timeoutMs / 1000)} seconds`)

// A dispatcher in another language may say its result itself, and leave is_error out.
const readAnswer = ({ content, is_error }: Readonly<Record<string, unknown>>): ToolAnswer => {
  if (content === undefined) return toAnswer(fault('tool_crashed', "the answer to this call has no 'content'"))
  return { content: typeof content === 'string' ? content : JSON.stringify(content), isError: is_error === true }
}

const show = (value: unknown): string => preview(JSON.stringify(value) ?? 'nothing')
