// The tool channel of one agent: requests that it writes on descriptor 4 are answered on 5, by the dispatcher (plumb-wire(5), Tools).
// It shares no queue with data: neither waits for the other.

import type { CheckedTool } from '@plumb/lang'
import { consentJson } from '@plumb/ledger'
import type { AskTerminal } from '@plumb/policy'
import type { serveLines } from '@plumb/tool/internal'
import {
  type Dispatcher,
  errorAnswer,
  type Fault,
  fault,
  type LineSink,
  type LineSource,
  nowMs,
  type ToolAnswer,
  type ToolRequest,
} from '@plumb/wire'
import type { ServerOffers } from './server-offers.js'
import type { ToolWalk } from './tool-walk.js'

export interface ToolServiceOptions {
  readonly dispatcher: Dispatcher
  /** The tools that the spec declares for the agent. */
  readonly checkedTools: readonly CheckedTool[]
  /** plumb-tool's, which is loaded only where there are tools. */
  readonly serveLines: typeof serveLines
  readonly maxLine: number
  /** The offers of the agent's MCP servers, if it has any. */
  readonly offers: ServerOffers | undefined
  /** The person whom the agent may ask about a call. */
  readonly askPerson?: AskTerminal | undefined
  /** It is held to a protocol here. Undefined: there is none, or it holds to it itself. */
  readonly walk?: ToolWalk | undefined
  /** Reports a line that is not a request. */
  readonly report: (fault: Fault) => void
}

/** An agent that has answered all its input may still call tools until it has been quiet for so long (ms). */
const QUIET_MS = 2000
const CHECK_MS = 200

export class ToolService {
  /** Calls that are not answered yet. */
  inFlight = 0
  readonly #o: ToolServiceOptions
  #stop: (() => void) | undefined
  #lastCall = 0
  #timer: NodeJS.Timeout | undefined
  readonly #closing = new AbortController()
  #isDropping = false

  constructor(options: ToolServiceOptions) {
    this.#o = options
  }

  get checkedTools(): readonly CheckedTool[] {
    return this.#o.checkedTools
  }

  get offers(): ServerOffers | undefined {
    return this.#o.offers
  }

  get walk(): ToolWalk | undefined {
    return this.#o.walk
  }

  /** `answered` is called at the end of each call. */
  serve(requests: LineSource, answers: LineSink, answered: () => void): void {
    const { dispatcher, serveLines, maxLine, report } = this.#o
    const counted: Dispatcher = {
      ...dispatcher,
      answer: async (request) => {
        this.inFlight++
        const answer = await this.#answer(request)
        this.inFlight--
        this.#lastCall = nowMs()
        answered()
        return answer
      },
    }
    this.#stop = serveLines({ dispatcher: counted, requests, answers, maxLineBytes: maxLine, report }).stop
  }

  /**
   * Nothing more is sent to the agent. One that reads answers in a thread or an event loop lives until they end: so they end, once it has
   * nothing left to do.
   */
  endWhenQuiet(isDone: () => boolean): void {
    this.#lastCall = nowMs()
    this.#timer ??= setInterval(() => {
      if (this.inFlight > 0 || !isDone()) this.#lastCall = nowMs()
      else if (nowMs() - this.#lastCall > QUIET_MS) void this.close()
    }, CHECK_MS).unref()
  }

  /** The agent has ended, or is about to: its calls are stopped. Resolves when they have ended. */
  close(): Promise<void> {
    clearInterval(this.#timer)
    this.#closing.abort()
    this.#stop?.()
    this.#o.offers?.remove()
    return this.#o.dispatcher.close()
  }

  /** What the agent was doing is dropped: calls in flight are stopped, and none begins until `takeUp`. False: they cannot be stopped. */
  drop(): boolean {
    const { dispatcher } = this.#o
    this.#isDropping = true
    if (this.inFlight > 0) dispatcher.cancel?.()
    return this.inFlight === 0 || dispatcher.cancel !== undefined
  }

  takeUp(): void {
    this.#isDropping = false
  }

  async #answer(request: ToolRequest): Promise<ToolAnswer> {
    if (this.#isDropping) return errorAnswer(request.id, DROPPED)
    return request.asks ? this.#ask(request) : this.#o.dispatcher.answer(request)
  }

  async #ask({ id, name, input, wrong }: ToolRequest): Promise<ToolAnswer> {
    const { checkedTools, askPerson } = this.#o
    const { description, effects } = checkedTools.find((tool) => tool.name === name) ?? {}
    const said = await askPerson?.({ tool: name, input, description, effects, wrong }, this.#closing.signal)
    if (said === undefined) return errorAnswer(id, NOBODY)
    return { id, content: consentJson(said), is_error: false }
  }
}

const DROPPED = fault('cancelled', 'the answer that asked for this call was dropped')
const NOBODY = fault('approval_required', 'the call needs the consent of a person, and there is none to ask')
