// What A2A asks of a server, by the runs that there are: a message begins one, or answers what one asks.

import { randomUUID } from 'node:crypto'
import {
  type AgentCard,
  type CancelTaskRequest,
  type GetTaskRequest,
  type ListTasksRequest,
  type ListTasksResponse,
  type Message,
  type SendMessageRequest,
  type StreamResponse,
  type SubscribeToTaskRequest,
  type Task,
  TaskState,
} from '@a2a-js/sdk'
import {
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server'
import { type Fault, isFault, isRecord, sha256Of } from '@plumb/wire'
import type { Access } from '../../access/tokens.js'
import type { Binding } from '../../binding/binding.js'
import type { Exchange } from '../../http/exchange.js'
import type { Question } from '../../run/questions.js'
import type { KeptRun } from '../../run/runs.js'
import type { Service } from '../../service.js'
import { CONVERSATION } from '../openai/request.js'
import { cardOf } from './card.js'
import { inputOf } from './parts.js'
import { artifactOf, outputPart, statusOf, type TaskFacts, taskOf } from './task.js'

/** In the state of a call. */
export const EXCHANGE = 'exchange'
const NEWLINE = Buffer.from('\n')
const MAX_PAGE = 100

export class A2aHandler implements A2ARequestHandler {
  readonly #service: Service
  readonly #origin: string
  /** Of tasks that were begun here, by id. */
  readonly #facts = new Map<string, TaskFacts>()

  constructor(service: Service, origin: string) {
    this.#service = service
    this.#origin = origin
  }

  async getAgentCard(): Promise<AgentCard> {
    const { bindings, tokens } = this.#service
    return cardOf({ bindings, origin: this.#origin, hasTokens: tokens !== undefined })
  }

  async sendMessage(params: SendMessageRequest, context: ServerCallContext): Promise<Task> {
    const exchange = exchangeOf(context)
    const kept = await this.#takeMessage(params, exchange)
    if (params.configuration?.returnImmediately !== true) await this.#stopped(kept, exchange)
    return this.#shown(kept, exchange, params.configuration?.historyLength)
  }

  async *sendMessageStream(params: SendMessageRequest, context: ServerCallContext): AsyncGenerator<StreamResponse, void, undefined> {
    const exchange = exchangeOf(context)
    yield* this.#follow(await this.#takeMessage(params, exchange), exchange)
  }

  async *resubscribe({ id }: SubscribeToTaskRequest, context: ServerCallContext): AsyncGenerator<StreamResponse, void, undefined> {
    const exchange = exchangeOf(context)
    const kept = this.#find(id, exchange)
    if (kept.run.ended) throw new UnsupportedOperationError(`task ${id} has ended: get it`)
    yield* this.#follow(kept, exchange, kept.run.feed.last)
  }

  async getTask({ id, historyLength }: GetTaskRequest, context: ServerCallContext): Promise<Task> {
    const exchange = exchangeOf(context)
    return this.#shown(this.#find(id, exchange), exchange, historyLength)
  }

  async listTasks(params: ListTasksRequest, context: ServerCallContext): Promise<ListTasksResponse> {
    const exchange = exchangeOf(context)
    const { contextId, status, pageToken, historyLength = 0, includeArtifacts = false } = params
    const size = Math.min(Math.max(1, params.pageSize ?? 50), MAX_PAGE)
    const after = params.statusTimestampAfter === undefined ? undefined : Date.parse(params.statusTimestampAfter)
    const all = this.#service.runs
      .of(accessOf(exchange).name)
      .reverse()
      .map((kept) =>
        taskOf(kept.run, this.#factsOf(kept), this.#question(kept, exchange), { historyLength, withArtifacts: includeArtifacts }),
      )
      .filter((task) => contextId === '' || task.contextId === contextId)
      .filter((task) => status === TaskState.TASK_STATE_UNSPECIFIED || task.status?.state === status)
      .filter((task) => after === undefined || Date.parse(task.status?.timestamp ?? '') > after)
    const from = /^\d{1,9}$/.test(pageToken) ? Number(pageToken) : 0
    const next = from + size < all.length ? String(from + size) : ''
    return { tasks: all.slice(from, from + size), nextPageToken: next, pageSize: size, totalSize: all.length }
  }

  async cancelTask({ id }: CancelTaskRequest, context: ServerCallContext): Promise<Task> {
    const exchange = exchangeOf(context)
    const kept = this.#find(id, exchange)
    if (kept.run.ended) throw new TaskNotCancelableError(`task ${id} has ended`)
    kept.run.cancel()
    await kept.run.finished
    return this.#shown(kept, exchange)
  }

  getAuthenticatedExtendedAgentCard = async (): Promise<never> => {
    throw new UnsupportedOperationError('there is one card, for all')
  }
  createTaskPushNotificationConfig = noPushes
  getTaskPushNotificationConfig = noPushes
  listTaskPushNotificationConfigs = noPushes
  deleteTaskPushNotificationConfig = noPushes

  async #takeMessage({ message, metadata }: SendMessageRequest, exchange: Exchange): Promise<KeptRun> {
    if (!message || message.parts.length === 0) throw new RequestMalformedError('the message has no parts')
    if (message.taskId !== '') {
      const kept = this.#answer(message, exchange)
      // Then it waits for that no more.
      await new Promise((resolve) => setImmediate(resolve))
      return kept
    }
    const binding = this.#bindingOf(message.metadata?.binding ?? metadata?.binding, exchange)
    return this.#begin(binding, message, exchange)
  }

  #bindingOf(name: unknown, exchange: Exchange): Binding {
    const { bindings } = accessOf(exchange)
    const own = this.#service.bindings.filter((binding) => !bindings || bindings.has(binding.name))
    const found = name === undefined ? own[0] : own.find((binding) => binding.name === name)
    if (!found) throw new RequestMalformedError(`there is no skill '${String(name).slice(0, 100)}': the card has those that there are`)
    return found
  }

  async #begin(binding: Binding, message: Message, exchange: Exchange): Promise<KeptRun> {
    const { runs, state } = this.#service
    const access = accessOf(exchange)
    if (state === 'draining') throw new UnsupportedOperationError('the server is about to end, and takes no more messages')
    const [type = { kind: 'json' } as const] = binding.inputs
    const input = inputOf(message.parts, type)
    if (!input.ok) throw refusal(input.error)
    const contextId = CONVERSATION.test(message.contextId) ? message.contextId : randomUUID()
    const refused = access.take()
    if (refused) throw refusal(refused)
    exchange.logged.binding = binding.name
    const own = { owner: access.name, key: undefined, digest: sha256Of(input.value), maxCost: undefined, events: new Set<string>() }
    const started = await runs.start(
      { ...own, binding, conversation: contextId, input: Buffer.concat([Buffer.from(input.value), NEWLINE]) },
      { isOwed: false },
    )
    if (!started.ok) throw refusal(started.error)
    const run = started.value
    this.#facts.set(run.id, { contextId, history: [{ ...message, contextId, taskId: run.id }] })
    void run.finished.then(() => access.spend(run.cost))
    return this.#find(run.id, exchange)
  }

  /** It goes on with what it asked. A call is approved by true, and asked about again by {"edit": INPUT}, as in POST /pending. */
  #answer(message: Message, exchange: Exchange): KeptRun {
    const kept = this.#find(message.taskId, exchange)
    if (message.contextId !== '' && message.contextId !== this.#factsOf(kept).contextId)
      throw new RequestMalformedError(`task ${message.taskId} is of another context`)
    const question = this.#question(kept, exchange)
    if (!question) throw new UnsupportedOperationError(`task ${message.taskId} asks nothing that is yours to answer`)
    const [first] = message.parts
    const value = first?.content?.$case === 'data' ? (first.content.value as unknown) : undefined
    const text = message.parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('\n')
    const { questions } = this.#service
    const access = accessOf(exchange)
    const answers = value === undefined ? [text, parsed(text)].filter((one) => one !== undefined) : [value]
    let wrong: Fault | undefined
    for (const answer of answers) {
      const isEdit = question.kind === 'approval' && isRecord(answer) && Object.keys(answer).join() === 'edit'
      const answered = isEdit
        ? questions.edit(question.id, access, JSON.stringify(answer.edit))
        : questions.answer(question.id, access, JSON.stringify(answer))
      if (answered?.ok) {
        const facts = this.#factsOf(kept)
        this.#facts.set(kept.run.id, { ...facts, history: [...facts.history, message] })
        return kept
      }
      wrong = answered?.ok === false ? answered.error : wrong
    }
    throw new RequestMalformedError(wrong?.detail ?? 'the question was answered already')
  }

  /** The task, its outputs as they come, and where it stops. */
  async *#follow(kept: KeptRun, exchange: Exchange, from = 0): AsyncGenerator<StreamResponse, void, undefined> {
    const { run } = kept
    const facts = this.#factsOf(kept)
    const { contextId } = facts
    const task = taskOf(run, facts, this.#question(kept, exchange), { withArtifacts: from > 0 })
    yield { payload: { $case: 'task', value: task } }
    let hasOutput = from > 0 && task.artifacts.length > 0
    let stopped = false
    const stopping = this.#stopped(kept, exchange).then(() => {
      stopped = true
    })
    for (let last = from; ; ) {
      const item = run.feed.at(last + 1)
      if (!item) {
        if (run.feed.hasEnded || stopped) break
        await Promise.race([run.feed.after(last), stopping])
        continue
      }
      last = item.id
      if (item.event !== 'output') continue
      const artifact = artifactOf([outputPart(item.data)])
      const own = { taskId: run.id, contextId, artifact, append: hasOutput, lastChunk: false, metadata: undefined }
      hasOutput = true
      yield { payload: { $case: 'artifactUpdate', value: own } }
    }
    const status = statusOf(run, contextId, this.#question(kept, exchange))
    yield { payload: { $case: 'statusUpdate', value: { taskId: run.id, contextId, status, metadata: undefined } } }
  }

  #find(id: string, exchange: Exchange): KeptRun {
    const kept = this.#service.runs.kept(id, accessOf(exchange).name)
    if (!kept) throw new TaskNotFoundError(`there is no task ${id.slice(0, 100)}, or no longer`)
    return kept
  }

  #shown(kept: KeptRun, exchange: Exchange, historyLength?: number): Task {
    const totals = kept.run.totals
    Object.assign(exchange.logged, { binding: kept.run.binding.name, ...totals })
    return taskOf(kept.run, this.#factsOf(kept), this.#question(kept, exchange), { historyLength })
  }

  /** Resolves when it has ended, or asks what the client may answer: what another is to decide on it waits for. */
  #stopped(kept: KeptRun, exchange: Exchange): Promise<void> {
    return kept.run.stopped(() => this.#question(kept, exchange) !== undefined)
  }

  #question({ run }: KeptRun, exchange: Exchange): Question | undefined {
    if (run.state !== 'waiting') return undefined
    return this.#service.questions.list(accessOf(exchange)).find((one) => one.run === run.id)
  }

  #factsOf({ run, conversation }: KeptRun): TaskFacts {
    return this.#facts.get(run.id) ?? { contextId: conversation ?? run.id, history: [] }
  }

  /** Of runs that are gone. */
  sweep(): void {
    for (const id of this.#facts.keys()) if (!this.#service.runs.has(id)) this.#facts.delete(id)
  }
}

const noPushes = async (): Promise<never> => {
  throw new PushNotificationNotSupportedError('nothing is pushed: subscribe to a task')
}

const exchangeOf = (context: ServerCallContext): Exchange => context.state.get(EXCHANGE) as Exchange

const accessOf = ({ access }: Exchange): Access => access as Access

const refusal = (error: Fault): Error => new RequestMalformedError(isFault(error) ? `${error.error}: ${error.detail}` : String(error))

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
