// The agent's end of the dispatch protocol, plumb-wire(5): sends requests and matches the answers to them by id, whatever carries them.

import {
  errorAnswer,
  type Fault,
  fault,
  preview,
  readCallAnswer,
  startDeadline,
  type ToolAnswer,
  type ToolCaller,
  type ToolRequest,
  writeRequest,
} from '@plumb/wire'

/** Why calls are not answered any more. */
export const ENDS = {
  answers: 'fd 5, on which tool calls are answered, has ended',
  stream: 'the stream on which tool calls are answered has ended',
  requests: 'the calls on fd 4 are no longer read',
} as const

/** As details of their `tool_crashed`: their effect is unknown. */
export const ANSWERS_END: ReadonlySet<string> = new Set(Object.values(ENDS))

export interface DispatchClientParts {
  /** Sends one line. */
  readonly send: (json: string) => void
  /** A message that answers no call. */
  readonly onFault: (fault: Fault) => void
  /** Answers may precede their requests, as in a file. */
  readonly isRecorded?: boolean
}

/** Ids of cancelled requests, and answers that precede their requests. */
const MAX_KEPT = 1000

export class DispatchClient implements ToolCaller {
  readonly #parts: DispatchClientParts
  readonly #open = new Map<string, (answer: ToolAnswer) => void>()
  readonly #abandoned = new Set<string>()
  readonly #early = new Map<string, ToolAnswer>()
  #end: Fault | undefined

  constructor(parts: DispatchClientParts) {
    this.#parts = parts
  }

  call(request: ToolRequest, timeoutMs: number, signal: AbortSignal): Promise<ToolAnswer> {
    const { id, name } = request
    if (signal.aborted) return Promise.resolve(errorAnswer(id, CANCELLED))
    const early = this.#early.get(id)
    if (this.#end && !early) return Promise.resolve(errorAnswer(id, this.#end))
    return new Promise((resolve) => {
      const settle = (answer: ToolAnswer): void => {
        clearDeadline()
        signal.removeEventListener('abort', cancel)
        this.#open.delete(id)
        resolve(answer)
      }
      const failWith = (why: Fault): void => {
        this.#abandon(id)
        settle(errorAnswer(id, why))
      }
      const cancel = () => failWith(CANCELLED)
      const clearDeadline = startDeadline(timeoutMs, () => failWith(tooLate(name, timeoutMs)))
      signal.addEventListener('abort', cancel)
      this.#open.set(id, settle)
      this.#parts.send(writeRequest(request))
      if (early && this.#early.delete(id)) settle(early)
    })
  }

  /** One parsed line of the dispatcher. */
  receive(message: unknown): void {
    const read = readCallAnswer(message)
    if (!read.ok) return this.#parts.onFault({ ...read.error, port: 'tool_resp' })
    const { id } = read.value
    const settle = this.#open.get(id)
    if (settle) settle(read.value)
    else if (this.#abandoned.delete(id)) return
    else if (this.#parts.isRecorded && this.#early.size < MAX_KEPT) this.#early.set(id, read.value)
    else
      this.#parts.onFault(
        fault('input_type_mismatch', `no tool call with the id '${preview(id)}' waits for an answer`, { port: 'tool_resp' }),
      )
  }

  /** An unreadable line. If exactly one call is open, the line was its answer. */
  refuse(error: Fault): void {
    this.#parts.onFault({ ...error, port: 'tool_resp' })
    if (this.#open.size === 1) this.#settleAll(error)
  }

  /** No more answers come: open calls and later ones fail with `why`. Returns how many were open. */
  end(why: Fault): number {
    this.#end ??= why
    return this.#settleAll(why)
  }

  /** Fails the open calls. Their answers may still come, and are dropped. */
  failOpen(why: Fault): void {
    for (const id of this.#open.keys()) this.#abandon(id)
    this.#settleAll(why)
  }

  #settleAll(why: Fault): number {
    const open = [...this.#open]
    for (const [id, settle] of open) settle(errorAnswer(id, why))
    return open.length
  }

  #abandon(id: string): void {
    this.#abandoned.add(id)
    const [oldest] = this.#abandoned
    if (oldest !== undefined && this.#abandoned.size > MAX_KEPT) this.#abandoned.delete(oldest)
  }
}

export const CANCELLED = fault('cancelled', 'the answer that asked for this call was dropped')

const tooLate = (name: string, timeoutMs: number): Fault =>
  fault('timeout', `tool '${preview(name)}' gave no answer within ${Math.round(timeoutMs / 1000)} seconds`)
