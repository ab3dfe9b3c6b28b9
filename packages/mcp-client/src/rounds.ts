// Requests without a session: if an answer asks for input (`input_required`), it is given in a further request; if it is a task, that is
// asked after until it has ended. Only the last answer is returned.

import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import { fault } from '@plumb/wire'
import { givenUp } from './guard.js'
import { LinkError } from './link.js'
import { type Request, type RpcAnswer, type RpcParams, readOutcome } from './revision.js'
import { readTask } from './task.js'

export interface Rounds {
  readonly send: (request: Request) => Promise<void>
  readonly receive: (answer: RpcAnswer) => void
  /** Forgets the request of this id; returns the id under which it was last sent. Undefined: nothing of it is on its way. */
  readonly cancel: (own: RequestId) => RequestId | undefined
  /** The id of the original request. */
  readonly ownId: (id: RequestId) => RequestId
  /** Asks after no task any more. */
  readonly end: () => void
}

export interface RoundsOptions {
  readonly send: (request: Request) => Promise<void>
  readonly give: (answer: RpcAnswer) => void
  /** For messages. */
  readonly server: string
  /** Ids of further requests. */
  readonly firstId: number
}

interface Round {
  readonly own: RequestId
  readonly count: number
  readonly request: Request
  /** What the request has become. */
  readonly task?: RunningTask
}

interface RunningTask {
  readonly taskId: string
  /** That of the requests about it. */
  readonly meta: unknown
  /** The questions that were answered: they may be told again. */
  readonly answered: Set<string>
  timer?: NodeJS.Timeout | undefined
}

const MAX_ROUNDS = 10
/** Only these requests may be answered so. */
const MAY_ASK = ['tools/call', 'prompts/get', 'resources/read']
const MAY_BE_TASKS = ['tools/call']

export const openRounds = (options: RoundsOptions): Rounds => new OpenRounds(options)

class OpenRounds implements Rounds {
  readonly #options: RoundsOptions
  readonly #open = new Map<RequestId, Round>()
  /** By the ids of the original requests. */
  readonly #tasks = new Map<RequestId, RunningTask>()
  /** Requests whose answers say nothing. */
  readonly #idle = new Set<RequestId>()
  #nextId: number

  constructor(options: RoundsOptions) {
    this.#options = options
    this.#nextId = options.firstId
  }

  async send(request: Request): Promise<void> {
    const { id, method } = request
    if (MAY_ASK.includes(method)) this.#open.set(id, { own: id, count: 1, request })
    await this.#options.send(request)
  }

  receive(answer: RpcAnswer): void {
    const id = answer.id as RequestId
    if (this.#idle.delete(id)) return
    const round = this.#open.get(id)
    this.#open.delete(id)
    const own = round?.own ?? id
    if ('error' in answer) return this.#end(own, { ...answer, id: own })
    if (round?.task) return this.#follow(round, round.task, answer.result)
    const outcome = readOutcome(answer.result)
    if (outcome.kind === 'result') this.#end(own, { ...answer, id: own, result: outcome.result as never })
    else if (outcome.kind === 'wrong') this.#wrong(own, outcome.why)
    else if (outcome.kind === 'task') {
      if (!round || !MAY_BE_TASKS.includes(round.request.method)) return this.#wrong(own, 'is a task where none can be')
      const task: RunningTask = { taskId: outcome.taskId, meta: metaOf(round.request), answered: new Set() }
      this.#tasks.set(own, task)
      this.#follow(round, task, outcome.state)
    } else if (!round) this.#wrong(own, 'asks for input where none can be given')
    else if (round.count >= MAX_ROUNDS) this.#wrong(own, `asks for input again, after ${MAX_ROUNDS} times`)
    else this.#goOn(round, outcome.params)
  }

  cancel(own: RequestId): RequestId | undefined {
    const found = [...this.#open].find(([, round]) => round.own === own)
    if (found) this.#open.delete(found[0])
    const task = this.#tasks.get(own)
    if (!task) return found?.[0] ?? own
    this.#forget(own)
    this.#tell('tasks/cancel', task)
    return found?.[0]
  }

  ownId(id: RequestId): RequestId {
    return this.#open.get(id)?.own ?? id
  }

  end(): void {
    for (const own of [...this.#tasks.keys()]) this.#forget(own)
  }

  /** Repeats the request with these. */
  #goOn({ own, count, request }: Round, more: RpcParams): void {
    const { inputResponses: _, requestState: __, ...params } = request.params as RpcParams
    this.#ask({ own, count: count + 1, request: { ...request, params: { ...params, ...more }, id: this.#nextId++ } })
  }

  #ask(round: Round): void {
    const { own, request } = round
    const { server, send } = this.#options
    this.#open.set(request.id, round)
    send(request).catch((error: unknown) => {
      if (!this.#open.delete(request.id)) return
      this.#end(own, givenUp(own, error instanceof LinkError ? error.fault : fault('connection_failed', String(error), { server })))
    })
  }

  #follow(round: Round, task: RunningTask, result: RpcParams): void {
    const { own } = round
    const state = readTask(result)
    if (state.kind === 'wrong') {
      this.#tell('tasks/cancel', task)
      return this.#wrong(own, state.why)
    }
    if (state.kind === 'failed') return this.#end(own, { jsonrpc: '2.0', id: own, error: state.error })
    if (state.kind === 'completed') {
      const outcome = readOutcome(state.result)
      if (outcome.kind === 'result') this.#end(own, { jsonrpc: '2.0', id: own, result: outcome.result as never })
      else this.#wrong(own, 'has a task whose result is none')
      return
    }
    const fresh = Object.entries(state.responses).filter(([key]) => !task.answered.has(key))
    for (const [key] of fresh) task.answered.add(key)
    if (fresh.length > 0) this.#tell('tasks/update', task, { inputResponses: Object.fromEntries(fresh) })
    task.timer = setTimeout(() => this.#ask({ ...round, task, request: this.#about('tasks/get', task) }), state.pollMs)
  }

  /** A request whose answer says nothing. */
  #tell(method: string, task: RunningTask, more: RpcParams = {}): void {
    const request = this.#about(method, task, more)
    this.#idle.add(request.id)
    this.#options.send(request).catch(() => this.#idle.delete(request.id))
  }

  #about(method: string, { taskId, meta }: RunningTask, more: RpcParams = {}): Request {
    return { jsonrpc: '2.0', method, params: { taskId, ...more, _meta: meta }, id: this.#nextId++ }
  }

  #wrong(own: RequestId, why: string): void {
    const { server } = this.#options
    this.#end(own, givenUp(own, fault('bad_reply', `an answer of MCP server '${server}' ${why}`, { server })))
  }

  #end(own: RequestId, answer: RpcAnswer): void {
    this.#forget(own)
    this.#options.give(answer)
  }

  #forget(own: RequestId): void {
    clearTimeout(this.#tasks.get(own)?.timer)
    this.#tasks.delete(own)
  }
}

/** The token of the call's progress is that of no other request. */
const metaOf = ({ params }: Request): unknown => {
  const { progressToken: _, ...meta } = (params as { readonly _meta: RpcParams })._meta
  return meta
}
