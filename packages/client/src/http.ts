// The processes that a plumb-serve serves.

import { asFault, BaseConnection, CLOSED, failure, lineOf } from './base.js'
import { type CallOptions, type Event, type Inputs, PlumbError, type Question, type StreamItem, type StreamOptions } from './types.js'

export interface ServerOptions {
  readonly url: string
  readonly token?: string
}

interface Route {
  readonly path: string
  /** An input may have several outputs. */
  readonly isMany: boolean
}

interface Server {
  readonly base: string
  readonly token: string | undefined
  readonly routes: ReadonlyMap<string, Route>
  /** Aborted when the connection is closed. */
  readonly closing: AbortController
}

export const openServer = async ({ url, token }: ServerOptions): Promise<HttpConnection> => {
  const base = url.replace(/\/+$/, '')
  const server = { base, token, routes: new Map<string, Route>(), closing: new AbortController() }
  const answer = await ask(server, '/openapi.json', {})
  if (!answer.ok) throw await problemOf(answer)
  const { paths } = (await answer.json()) as { readonly paths: Readonly<Record<string, { readonly post?: Operation }>> }
  for (const [path, { post }] of Object.entries(paths))
    if (post?.operationId && post.requestBody?.content?.[NDJSON]) server.routes.set(post.operationId, { path, isMany: isMany(post) })
  return new HttpConnection(server)
}

const NDJSON = 'application/x-ndjson'

interface Operation {
  readonly operationId?: string
  readonly requestBody?: { readonly content?: Readonly<Record<string, unknown>> }
  readonly responses?: { readonly 200?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> } }
}

interface Schema {
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, unknown>>
  readonly additionalProperties?: unknown
}

// A record of a spec says whether it has other fields; the list of outputs is none.
const isMany = ({ responses }: Operation): boolean => {
  const schema = responses?.[200]?.content?.['application/json']?.schema
  return schema?.additionalProperties === undefined && Object.keys(schema?.properties ?? {}).join() === 'outputs'
}

const ask = async ({ base, token, closing }: Server, path: string, init: RequestInit & { signal?: AbortSignal }): Promise<Response> => {
  const signal = init.signal ? AbortSignal.any([init.signal, closing.signal]) : closing.signal
  const headers = { ...(init.headers as Record<string, string>), ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
  try {
    return await fetch(base + path, { ...init, headers, signal })
  } catch (error) {
    if (signal.aborted) throw closing.signal.aborted ? CLOSED() : signal.reason
    const { cause, message } = error as Error
    const why = cause instanceof Error && cause.message !== '' ? cause.message : message
    throw failure('connection_failed', 'unavailable', `cannot reach '${base}': ${why}`)
  }
}

const problemOf = async (answer: Response): Promise<PlumbError> => {
  const otherwise = `the server answers with status ${answer.status}`
  try {
    const { type: _, title: __, status: ___, ...fields } = (await answer.json()) as Record<string, unknown>
    return new PlumbError(asFault(fields, otherwise))
  } catch {
    return failure('bad_reply', 'unavailable', otherwise)
  }
}

class HttpConnection extends BaseConnection {
  readonly #server: Server
  readonly #conversation: string | undefined

  constructor(server: Server, conversation?: string) {
    super()
    this.#server = server
    this.#conversation = conversation
  }

  async call<O>(name: string, input: unknown, options: CallOptions = {}): Promise<O> {
    const { path, isMany } = this.#route(name)
    const { signal } = options
    const headers = { 'content-type': 'application/json', accept: 'application/json', ...this.#headers(options) }
    const answer = await ask(this.#server, path, { method: 'POST', headers, body: lineOf(input), ...(signal ? { signal } : {}) })
    if (!answer.ok) throw await problemOf(answer)
    const value = (await answer.json()) as unknown
    return (isMany ? (value as { readonly outputs: unknown }).outputs : value) as O
  }

  stream<O>(name: string, inputs: Inputs<unknown>, options: StreamOptions = {}): AsyncIterable<StreamItem<O>> {
    return this.#items(this.#route(name), inputs, options) as AsyncIterable<StreamItem<O>>
  }

  conversation(id: string): HttpConnection {
    return new HttpConnection(this.#server, id)
  }

  async pending(): Promise<readonly Question[]> {
    this.#open()
    const answer = await ask(this.#server, '/pending', {})
    if (!answer.ok) throw await problemOf(answer)
    const told = (await answer.json()) as readonly Question[] | { readonly pending: readonly Question[] }
    const list = Array.isArray(told) ? (told as readonly Question[]) : (told as { readonly pending: readonly Question[] }).pending
    return list.map((question) => ({
      ...question,
      answer: (value: unknown) => this.#settle(question.id, { answer: value }),
      skip: (why = 'skipped') => this.#settle(question.id, { skip: why }),
      edit: (input: unknown) => this.#settle(question.id, { edit: input }),
    }))
  }

  async close(): Promise<void> {
    this.#server.closing.abort(CLOSED())
  }

  async #settle(id: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const answer = await ask(this.#server, `/pending/${encodeURIComponent(id)}`, { method: 'POST', headers, body: lineOf(body) })
    if (!answer.ok) throw await problemOf(answer)
  }

  #open(): void {
    if (this.#server.closing.signal.aborted) throw CLOSED()
  }

  #route(name: string): Route {
    this.#open()
    const found = this.#server.routes.get(name)
    if (found) return found
    const known = [...this.#server.routes.keys()].join(', ')
    throw failure('unknown_name', 'not_found', `no process is named '${name}'${known === '' ? '' : `; there are ${known}`}`)
  }

  #headers({ maxCost, idempotencyKey }: CallOptions): Record<string, string> {
    return {
      ...(this.#conversation === undefined ? {} : { 'plumb-conversation': this.#conversation }),
      ...(maxCost === undefined ? {} : { 'plumb-max-cost': String(maxCost) }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    }
  }

  async *#items({ path }: Route, inputs: Inputs<unknown>, options: StreamOptions): AsyncGenerator<StreamItem<unknown>> {
    const { signal, events = [] } = options
    const left = new AbortController()
    const ends = signal ? AbortSignal.any([signal, left.signal]) : left.signal
    const isTold = events.length > 0
    const headers = { 'content-type': NDJSON, accept: isTold ? 'text/event-stream' : NDJSON, ...this.#headers(options) }
    const query = isTold ? `?events=${encodeURIComponent(events.join(','))}` : ''
    // What an input throws ends the request with it.
    let thrown: { readonly error: unknown } | undefined
    const lines = linesOf(inputs, (error) => {
      thrown = { error }
      left.abort()
    })
    const body = isPage() ? await textOf(lines) : bytesOf(lines)
    try {
      const init = { method: 'POST', headers, body, signal: ends, duplex: 'half' } as RequestInit & { signal: AbortSignal }
      const answer = await ask(this.#server, path + query, init)
      if (!answer.ok) throw await problemOf(answer)
      if (!answer.body) return
      const read = isTold ? itemsOfEvents : itemsOfLines
      yield* read(textLines(answer.body))
    } catch (error) {
      throw thrown ? thrown.error : this.#server.closing.signal.aborted ? CLOSED() : signal?.aborted ? signal.reason : error
    } finally {
      left.abort()
    }
  }
}

// In a page fetch sends no body as it comes.
const isPage = (): boolean => (globalThis as { readonly process?: { readonly versions?: object } }).process?.versions === undefined

async function* linesOf(inputs: Inputs<unknown>, onError: (error: unknown) => void): AsyncGenerator<string> {
  try {
    for await (const input of inputs) yield `${lineOf(input)}\n`
  } catch (error) {
    onError(error)
    throw error
  }
}

const textOf = async (lines: AsyncGenerator<string>): Promise<string> => {
  let text = ''
  for await (const line of lines) text += line
  return text
}

const bytesOf = (lines: AsyncGenerator<string>): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder()
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const { value, done } = await lines.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      } catch (error) {
        controller.error(error)
      }
    },
    cancel: async () => void (await lines.return(undefined)),
  })
}

async function* textLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest: string[] = []
  for (;;) {
    const { value, done } = await reader.read()
    const lines = decoder.decode(value, { stream: !done }).split('\n')
    const last = lines.pop() ?? ''
    for (const line of lines) {
      yield rest.length === 0 ? line : rest.join('') + line
      rest = []
    }
    if (last !== '') rest.push(last)
    if (done) return rest.length > 0 ? yield rest.join('') : undefined
  }
}

const itemOf = (text: string): StreamItem<unknown> => {
  const { seq, value, error } = JSON.parse(text) as { readonly seq: number | null; readonly value?: unknown; readonly error?: unknown }
  const number = seq ?? 0
  return error === undefined ? { seq: number, value } : { seq: number, error: new PlumbError({ ...asFault(error, text), seq: number }) }
}

async function* itemsOfLines(lines: AsyncGenerator<string>): AsyncGenerator<StreamItem<unknown>> {
  for await (const line of lines) if (line.trim() !== '') yield itemOf(line)
}

async function* itemsOfEvents(lines: AsyncGenerator<string>): AsyncGenerator<StreamItem<unknown>> {
  let [event, data]: [string, string[]] = ['', []]
  for await (const raw of lines) {
    const line = raw.replace(/\r$/, '')
    if (line.startsWith('event:')) event = line.slice('event:'.length).trim()
    else if (line.startsWith('data:')) data.push(line.slice('data:'.length).replace(/^ /, ''))
    else if (line === '') {
      const text = data.join('\n')
      if (event === 'output' || event === 'error') yield itemOf(text)
      else if (event !== 'done' && event !== '' && text !== '') {
        const told = JSON.parse(text) as Event
        yield { seq: Number(told.seq ?? 0), event: { ...told, kind: told.kind ?? event } }
      }
      ;[event, data] = ['', []]
    }
  }
}
