// One conversation with an agent that speaks A2A: its card is read first, and each input is a task, streamed where the agent streams.

import { randomUUID } from 'node:crypto'
import { type Message, type Part, Role, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk'
import { type Client, ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client'
import { resolve, type Type } from '@plumb/lang'
import { type Fault, fail, fault, isFault, isRecord, preview, type Result, succeed } from '@plumb/wire'
import type { AskPerson } from '../person/person-agent.js'
import { RefusedByHost } from './remote-fetch.js'

export interface TalkOptions {
  readonly name: string
  readonly url: URL
  readonly fetchImpl: typeof fetch
  readonly output: Type
  /** The person of the run, of whom the agent may ask something. */
  readonly ask: AskPerson
  /** Each input begins afresh. */
  readonly isAmnesiac: boolean
  readonly check: (json: string) => Fault | undefined
}

const POLL_MS = 1000
const OVER: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
])

interface Said {
  readonly parts: readonly Part[]
  readonly task: Task | undefined
}

export class A2aTalk {
  readonly #o: TalkOptions
  #opened: Promise<Client> | undefined
  #contextId = ''

  constructor(options: TalkOptions) {
    this.#o = options
  }

  /** Reads its card. */
  open(): Promise<Client> {
    const { fetchImpl, url } = this.#o
    const transports = [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })]
    const factory = new ClientFactory({ transports, cardResolver: new DefaultAgentCardResolver({ fetchImpl }) })
    const path = url.pathname.endsWith('.json') ? url.pathname : undefined
    this.#opened ??= factory.createFromUrl(path === undefined ? url.href.replace(/\/$/, '') : url.origin, path)
    return this.#opened
  }

  /** The output for one input, as JSON text. */
  async answer(input: string, n: number, signal: AbortSignal): Promise<Result<string>> {
    const { name, url, isAmnesiac } = this.#o
    let client: Client | undefined
    let task: Task | undefined
    try {
      client = await this.open()
      let message = messageOf([partOf(JSON.parse(input) as unknown)], { contextId: isAmnesiac ? '' : this.#contextId })
      for (;;) {
        const said = await this.#send(client, message, signal)
        task = said.task
        if (!task) return this.#outputOf(said.parts)
        this.#contextId = task.contextId
        const state = task.status?.state
        if (state === TaskState.TASK_STATE_COMPLETED) return this.#outputOf(said.parts)
        if (state !== TaskState.TASK_STATE_INPUT_REQUIRED) return { ok: false, error: failureOf(name, url, task) }
        const answered = await this.#ask(task, n, signal)
        if (!answered.ok) {
          void client.cancelTask({ tenant: '', id: task.id, metadata: undefined }).catch(() => {})
          return answered
        }
        message = messageOf([partOf(JSON.parse(answered.value) as unknown)], { contextId: task.contextId, taskId: task.id })
      }
    } catch (error) {
      if (signal.aborted) return fail('cancelled', `'${name}' was not waited for: the run is ending`)
      if (!client) this.#opened = undefined
      const refused = refusalIn(error)
      if (refused) return fail(refused.status === 429 ? 'rate_limited' : 'unauthorized', `the agent '${name}': ${refused.message}`)
      return fail('child_failed', `the agent '${name}' at ${url.host} cannot be asked: ${preview(wordsOf(error), 300)}`)
    }
  }

  /** Resolves when the task is over, or asks something. */
  async #send(client: Client, message: Message, signal: AbortSignal): Promise<Said> {
    const request = { tenant: '', message, configuration: undefined, metadata: undefined }
    const { capabilities } = await client.getAgentCard()
    if (capabilities?.streaming !== true) {
      const sent = await client.sendMessage(request, { signal })
      if (!('status' in sent)) return { parts: sent.parts, task: undefined }
      const task = await this.#await(client, sent, signal)
      return { parts: partsOf(task), task }
    }
    const follow = new Following()
    try {
      for await (const event of client.sendMessageStream(request, { signal })) follow.take(event)
    } catch (error) {
      if (!follow.task || signal.aborted) throw error
    }
    if (follow.message) return { parts: follow.message.parts, task: undefined }
    if (!follow.task) throw new Error('its answer has neither a task nor a message')
    // A stream that was cut: the task goes on.
    const task = await this.#await(client, follow.task, signal)
    return { parts: task === follow.task ? follow.parts : partsOf(task), task }
  }

  async #await(client: Client, begun: Task, signal: AbortSignal): Promise<Task> {
    let task = begun
    for (;;) {
      const state = task.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED
      const stops = OVER.has(state) || state === TaskState.TASK_STATE_INPUT_REQUIRED || state === TaskState.TASK_STATE_AUTH_REQUIRED
      if (stops) return task
      await new Promise((go) => setTimeout(go, POLL_MS))
      task = await client.getTask({ tenant: '', id: task.id }, { signal })
    }
  }

  async #ask({ status }: Task, n: number, signal: AbortSignal): Promise<Result<string>> {
    const parts = status?.message?.parts ?? []
    const prompt = textOf(parts) || 'The agent asks for more'
    const data = parts.map(valueOf).find((value) => isRecord(value) && isRecord(value.schema)) as Record<string, unknown> | undefined
    const input = JSON.stringify(data?.input ?? null)
    const schema = data?.schema ?? { type: 'string' }
    return this.#o.ask({ agent: this.#o.name, prompt, input, schema, check: () => undefined, n }, signal)
  }

  #outputOf(parts: readonly Part[]): Result<string> {
    const { output, check, name } = this.#o
    const values = parts.map(valueOf).filter((value) => value !== undefined)
    const text = textOf(parts)
    const isText = resolve(output).kind === 'string'
    const json = isText
      ? JSON.stringify(text === '' && values.length > 0 ? JSON.stringify(values[0]) : text)
      : JSON.stringify(values[0] ?? parsed(text))
    if (json === undefined) return fail('output_type_mismatch', `'${name}' has given nothing that its output could be read from`)
    const wrong = check(json)
    return wrong ? { ok: false, error: { ...wrong, ...fault('output_type_mismatch', wrong.detail) } } : succeed(json)
  }
}

/** What a stream has told of a task so far. */
class Following {
  task: Task | undefined
  message: Message | undefined
  parts: Part[] = []

  take({ payload }: StreamResponse): void {
    if (payload?.$case === 'message') this.message = payload.value
    else if (payload?.$case === 'task') {
      this.task = payload.value
      this.parts = [...partsOf(payload.value)]
    } else if (payload?.$case === 'statusUpdate' && this.task) this.task = { ...this.task, status: payload.value.status }
    else if (payload?.$case === 'artifactUpdate') this.parts.push(...(payload.value.artifact?.parts ?? []))
  }
}

const partsOf = ({ artifacts }: Task): readonly Part[] => artifacts.flatMap(({ parts }) => parts)

const messageOf = (parts: Part[], more: Partial<Message>): Message => ({
  ...{ messageId: randomUUID(), contextId: '', taskId: '', role: Role.ROLE_USER, parts },
  ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
  ...more,
})

const partOf = (value: unknown): Part => {
  const own = { metadata: undefined, filename: '' }
  return typeof value === 'string'
    ? { ...own, mediaType: 'text/plain', content: { $case: 'text', value } }
    : { ...own, mediaType: 'application/json', content: { $case: 'data', value } }
}

const textOf = (parts: readonly Part[]): string => parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('')

/** Data as it is, a file as the modules of media have it. */
const valueOf = ({ content, mediaType, filename }: Part): unknown => {
  if (content?.$case === 'data') return content.value as unknown
  if (content?.$case !== 'raw' && content?.$case !== 'url') return undefined
  const [group = ''] = mediaType.split('/')
  const where = content.$case === 'raw' ? { data: Buffer.from(content.value).toString('base64') } : { url: content.value }
  const more = { ...(mediaType === '' ? {} : { media_type: mediaType }), ...(filename === '' ? {} : { title: filename }) }
  return { kind: group === 'image' || group === 'audio' ? group : 'document', ...where, ...more }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const failureOf = (name: string, { host }: URL, { status }: Task): Fault => {
  const parts = status?.message?.parts ?? []
  const said = parts.map(valueOf).find((value) => isFault(value))
  const words = preview(textOf(parts) || 'it gives no reason', 500)
  if (status?.state === TaskState.TASK_STATE_REJECTED)
    return fault('answer_refused', `the agent '${name}' at ${host} has rejected this: ${words}`)
  if (status?.state === TaskState.TASK_STATE_AUTH_REQUIRED)
    return fault('unauthorized', `the agent '${name}' at ${host} wants other keys: ${words}`)
  if (status?.state === TaskState.TASK_STATE_CANCELED) return fault('cancelled', `the agent '${name}' at ${host} has cancelled this`)
  const { error, detail } = said ?? { error: 'child_failed', detail: words }
  return fault(error as Fault['error'], `the agent '${name}' at ${host}: ${preview(detail, 500)}`)
}

const refusalIn = (error: unknown): RefusedByHost | undefined => {
  for (let one = error, steps = 0; one instanceof Error && steps < 5; one = one.cause, steps++) if (one instanceof RefusedByHost) return one
  return undefined
}

const wordsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
}
