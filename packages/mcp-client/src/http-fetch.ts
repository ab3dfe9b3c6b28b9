// The fetch for the SDK's transports: bounded, and with precise errors. Redirects are left to the SDK, which follows those within the
// origin.

import type { ReadableStream } from 'node:stream/web'
import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import { type Fault, fault, parseJson } from '@plumb/wire'
import { MCP_NAME_FIELDS } from '@plumb/wire/http'
import type { Dispatcher, fetch as undiciFetch } from 'undici'
import { type BodyEnd, bounded } from './bounded-body.js'
import { LinkError } from './link.js'
import { messagesIn, withOwnId } from './message.js'
import { networkFault, statusFault } from './network-fault.js'
import { type OAuthClient, withUnusedMetadata } from './oauth-client.js'
import { encodeHeader, type ParameterHeaders } from './parameter-headers.js'
import type { RawArguments } from './raw-arguments.js'
import { namedRevision, STATELESS } from './revision.js'
import type { ServerTarget } from './server-url.js'

export interface HttpEvents {
  /** The stream of an answer has ended, and cannot be resumed. */
  readonly answerLost: (id: number) => void
  /** The stream of an SSE server has ended, or a request shows that the server, or the session, is gone. */
  readonly lost: (why: Fault) => void
  /** The handshake is done. */
  readonly isOpen: () => boolean
  readonly places: RawArguments
  readonly parameters: ParameterHeaders
}

export interface FetchOptions extends HttpEvents {
  readonly target: ServerTarget
  readonly dispatcher: Dispatcher
  readonly isSse: boolean
  /** Answers a 401 by requesting a token. */
  readonly oauth: OAuthClient | undefined
}

/** The status and text of a refusal. */
const MAX_REFUSAL_BYTES = 64 * 1024

export const openFetch = async (options: FetchOptions): Promise<HttpFetch> => new HttpFetch(options, (await import('undici')).fetch)

class HttpFetch {
  readonly #options: FetchOptions
  readonly #server: URL
  readonly #undici: typeof undiciFetch
  #hasStream = false
  /** Requests without a session, which are cancelled by closing their connection. */
  readonly #running = new Map<unknown, AbortController>()

  constructor(options: FetchOptions, undici: typeof undiciFetch) {
    this.#options = options
    this.#server = options.target.url
    this.#undici = undici
  }

  cancel(id: RequestId): void {
    this.#running.get(id)?.abort()
  }

  async #send(target: URL, init: RequestInit): Promise<Response> {
    try {
      // Other hosts, to which the server may refer, get none of its keys.
      const own = target.origin === this.#server.origin ? this.#options.target.headers : {}
      const headers = { ...Object.fromEntries(new Headers(init.headers)), ...own }
      const { method = 'GET', body = null, signal = null } = init
      const { dispatcher } = this.#options
      const text = body?.toString() ?? null
      const given = await this.#undici(target, { method, body: text, signal, headers, redirect: 'manual', dispatcher })
      // The SDK recognises a response by Node's own class.
      const { status, statusText } = given
      return new Response(given.body as ConstructorParameters<typeof Response>[0], { status, statusText, headers: [...given.headers] })
    } catch (error) {
      if (init.signal?.aborted) throw error
      throw new LinkError(networkFault(target.host, error))
    }
  }

  /** With the arguments in their own text, and the headers that repeat parameters, and the span that it is a part of. */
  #fill(init: RequestInit, isRequest: boolean): { readonly init: RequestInit; readonly named: RequestHeaders | undefined } {
    if (!isRequest || typeof init.body !== 'string') return { init, named: undefined }
    const headers = new Headers(init.headers)
    const traceparent = traceparentIn(init.body)
    if (traceparent !== undefined) headers.set('traceparent', traceparent)
    const body = this.#options.places.fill(init.body)
    const named = readHeaders(body, this.#options.parameters)
    if (!named) return { init: { ...init, body, headers }, named }
    const stop = new AbortController()
    this.#running.set(named.id, stop)
    for (const [name, value] of Object.entries(named.headers)) headers.set(name, value)
    return { init: { ...init, body, headers, signal: init.signal ? AbortSignal.any([init.signal, stop.signal]) : stop.signal }, named }
  }

  async fetch(url: string | URL, given: RequestInit = {}): Promise<Response> {
    const { isSse, lost, oauth } = this.#options
    const server = this.#server
    const target = new URL(url)
    const { method = 'GET' } = given
    const isServer = target.origin === server.origin && target.pathname === server.pathname
    const isStream = isSse && isServer && method === 'GET'
    // EventSource would reconnect to a new session that was never initialized. This makes it stop.
    if (isStream && this.#hasStream) return new Response(null, { status: 204 })
    if (isToken(given) && target.protocol === 'http:' && target.hostname !== server.hostname) throw new LinkError(unsafe(target))
    if (oauth && isToken(given)) return this.#token(oauth, target, given)
    const isRequest = method === 'POST' && target.origin === server.origin && !isToken(given)
    const { init, named } = this.#fill(given, isRequest)
    const response = await this.#send(target, init).catch((error: unknown) => {
      this.#running.delete(named?.id)
      if (isRequest && error instanceof LinkError) lost(error.fault)
      throw error
    })
    if (oauth && (response.status === 401 || response.status === 403))
      oauth.readChallenge(response.status, response.headers.get('www-authenticate'))
    if (oauth && method === 'GET' && !isServer && response.ok) return this.#metadata(oauth, response)
    if (isRequest && this.#isRefused(response)) return this.#refused(response, { host: target.host, named, id: idIn(given.body) })
    if (!response.ok || !response.body || response.status === 204) return response
    if (isStream) this.#hasStream = true
    return this.#bounded(response, { host: target.host, named, id: idIn(given.body), isStream })
  }

  /** A refusal that no request for a token answers. */
  #isRefused({ status }: Response): boolean {
    return status >= 400 && !(this.#options.oauth && (status === 401 || status === 403))
  }

  #token(oauth: OAuthClient, target: URL, given: RequestInit): Promise<Response> {
    return oauth.tokenResponse(String(given.body), () => this.#send(target, given), !this.#options.isOpen())
  }

  async #metadata(oauth: OAuthClient, response: Response): Promise<Response> {
    const text = await beginning(response)
    const bytes = Buffer.from(text)
    const document = parseJson(bytes, 0, bytes.length)
    const { status, headers } = response
    if (!document.ok) return new Response(text, { status, headers })
    oauth.readMetadata(document.value)
    return Response.json(withUnusedMetadata(document.value), { status })
  }

  async #refused(response: Response, { host, named, id }: Sent): Promise<Response> {
    const { isOpen, lost } = this.#options
    const { status, headers } = response
    this.#running.delete(named?.id)
    const text = await beginning(response)
    // Without a session the body says more than the status.
    if (named && status < 500 && isErrorFor(text, named.id)) return Response.json(JSON.parse(text))
    const hasKey = Object.keys(this.#options.target.headers).length > 0
    const challenge = headers.get('www-authenticate')
    const why = statusFault({ host, status, text, retryAfter: headers.get('retry-after'), isOpen: isOpen(), hasKey, challenge })
    // A failed notification does not affect later answers.
    if (why.error === 'mcp_dead' && (status === 404 || id !== undefined)) lost(why)
    throw new LinkError(why)
  }

  #bounded({ body, status, headers }: Response, { host, named, id, isStream }: Sent & { readonly isStream: boolean }): Response {
    const { lost, answerLost } = this.#options
    const isEvents = /^text\/event-stream\b/.test(headers.get('content-type') ?? '')
    const ended = ({ isResumable }: BodyEnd): void => {
      this.#running.delete(named?.id)
      if (isStream) lost(fault('mcp_dead', `${host} has ended its stream of events`))
      else if (isEvents && id !== undefined && !isResumable) answerLost(id)
    }
    const whole = bounded(body as ReadableStream<Uint8Array>, { host, isEvents, ended })
    // A request without a session has none, whatever the server says.
    if (named) headers.delete('mcp-session-id')
    return new Response(whole as ConstructorParameters<typeof Response>[0], { status, headers })
  }
}

/** `id`: of the request in its body. */
interface Sent {
  readonly host: string
  readonly named: RequestHeaders | undefined
  readonly id: number | undefined
}

/** A JSON-RPC error that answers the request of this id. */
const isErrorFor = (text: string, id: unknown): boolean => {
  const bytes = Buffer.from(text)
  const parsed = parseJson(bytes, 0, bytes.length)
  const message = parsed.ok && !Array.isArray(parsed.value) ? messagesIn(parsed.value)?.[0] : undefined
  return message !== undefined && 'error' in message && withOwnId(message.id) === id
}

const isToken = ({ body }: RequestInit): boolean => body instanceof URLSearchParams || (typeof body === 'string' && !body.startsWith('{'))

// A server names its token issuer, and may be wrong.
const unsafe = ({ host }: URL): Fault =>
  fault('address_denied', `the secret of a client is not sent to ${host}, which the server names for its tokens, without TLS`, { host })

// The SDK writes it last.
const idIn = (body: unknown): number | undefined => {
  const [, id] = typeof body === 'string' ? (/"id":(\d+)\}$/.exec(body) ?? []) : []
  return id === undefined ? undefined : Number(id)
}

const beginning = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= MAX_REFUSAL_BYTES) break
    }
  } catch {
    // Uses what came before the connection broke.
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Of a message whose arguments are not filled in yet: for what reads no bodies. */
const traceparentIn = (text: string): string | undefined => {
  if (!text.includes('"traceparent"')) return undefined
  const { params } = JSON.parse(text) as { readonly params?: { readonly _meta?: { readonly traceparent?: unknown } } }
  const found = params?._meta?.traceparent
  return typeof found === 'string' ? found : undefined
}

/** The headers that repeat a request of revision 2026-07-28, for proxies that do not read bodies. */
interface RequestHeaders {
  readonly id: unknown
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The headers of one message, which is JSON. Undefined: it belongs to a session. `parameters` is given the arguments as the server gets
 * them.
 */
const readHeaders = (text: string, parameters: ParameterHeaders): RequestHeaders | undefined => {
  if (!text.includes(STATELESS)) return undefined
  const { id, method, params } = JSON.parse(text) as { id?: unknown; method?: string; params?: Readonly<Record<string, unknown>> }
  const revision = namedRevision(params)
  if (revision === undefined || method === undefined) return undefined
  const name = params?.[MCP_NAME_FIELDS[method] ?? '']
  return {
    id,
    headers: {
      'mcp-protocol-version': revision,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': encodeHeader(name) } : {}),
      ...(method === 'tools/call' && typeof name === 'string' ? parameters.of(name, params?.arguments) : {}),
    },
  }
}
