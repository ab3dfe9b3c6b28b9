// Wraps a transport so that the SDK, which initializes, can use servers of all revisions: its `initialize` becomes `server/discover` if the
// server supports that. Then each request names its revision, and requests for input are answered.

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { type Fault, fault, isRecord } from '@plumb/wire'
import { givenUp } from './guard.js'
import { type Link, LinkError } from './link.js'
import { tidyAnswer } from './message.js'
import { type Discovered, type Request, type RpcAnswer, readDiscovered, STATELESS, WITH_SESSIONS, withEnvelope } from './revision.js'
import { openRounds, type Rounds } from './rounds.js'
import { waitAtMost } from './wait-at-most.js'

export interface NegotiateOptions {
  /** For messages. */
  readonly server: string
  /** The required revision. Undefined: the newest that the server supports. */
  readonly revision: string | undefined
  /** After this time a server that has not said what it supports is initialized too (ms). */
  readonly silenceMs?: number | undefined
}

export interface Negotiated {
  readonly transport: Transport
  /** 2026-07-28, once it was negotiated. */
  readonly revision: () => string | undefined
  /** The SDK's id of a request that was sent. */
  readonly ownId: (id: RequestId) => RequestId
  /** The server was asked what it supports, and has not answered at all. */
  readonly isUnanswered: () => boolean
}

/** Some older servers ignore unknown methods (ms). */
const SILENCE_MS = 2000

// The SDK counts from 0.
const DISCOVER_ID = 2 ** 40
const LISTEN_ID = DISCOVER_ID + 1
const FIRST_ID = DISCOVER_ID + 2

export const negotiate = (link: Link, options: NegotiateOptions): Negotiated => new Negotiation(link, options)

class Negotiation implements Negotiated {
  readonly #link: Link
  readonly #server: string
  readonly #required: string | undefined
  readonly #silenceMs: number
  readonly #inner: Transport
  readonly #asked = new Map<RequestId, (answer: RpcAnswer) => void>()
  readonly #rounds: Rounds
  readonly transport: Transport
  #clientInfo: unknown
  #discovered: Discovered | undefined
  #isProbed = false
  #isAnswered = false

  constructor(link: Link, { server, revision, silenceMs = SILENCE_MS }: NegotiateOptions) {
    this.#link = link
    this.#server = server
    this.#required = revision
    this.#silenceMs = silenceMs
    this.#inner = link.transport
    const give = (answer: RpcAnswer): void => this.transport.onmessage?.(answer)
    this.#rounds = openRounds({ send: (request) => this.#inner.send(request), give, server, firstId: FIRST_ID })
    this.transport = {
      start: () => this.#start(),
      send: async (message, options) => {
        if ('method' in message && message.method === 'initialize' && 'id' in message) {
          this.#clientInfo = message.params?.clientInfo
          give(await this.#agree(message as Request))
        } else if (this.#discovered) await this.#sendStateless(message)
        else await this.#inner.send(message, options)
      },
      close: () => {
        this.#rounds.end()
        return this.#inner.close()
      },
      setProtocolVersion: (version) => {
        if (!this.#discovered) this.#inner.setProtocolVersion?.(version)
      },
    }
  }

  revision(): string | undefined {
    return this.#discovered ? STATELESS : undefined
  }

  ownId(id: RequestId): RequestId {
    return this.#rounds.ownId(id)
  }

  isUnanswered(): boolean {
    return this.#isProbed && !this.#isAnswered
  }

  async #start(): Promise<void> {
    const [inner, outer] = [this.#inner, this.transport]
    inner.onclose = () => {
      this.#rounds.end()
      outer.onclose?.()
    }
    inner.onerror = (error) => outer.onerror?.(error)
    inner.onmessage = (message, extra) => {
      if ('method' in message && typeof message.method === 'string') return outer.onmessage?.(message, extra)
      this.#isAnswered = true
      const answer = tidyAnswer(message as RpcAnswer)
      const resolve = this.#asked.get(answer.id as RequestId)
      this.#asked.delete(answer.id as RequestId)
      if (resolve) resolve(answer)
      else if (!this.#discovered) outer.onmessage?.(answer, extra)
      else if (answer.id !== LISTEN_ID) this.#rounds.receive(answer)
    }
    await inner.start()
  }

  #ask(request: Request): Promise<RpcAnswer> {
    return new Promise((resolve, reject) => {
      this.#asked.set(request.id, resolve)
      this.#inner.send(request).catch((error: unknown) => {
        this.#asked.delete(request.id)
        reject(error)
      })
    })
  }

  async #discover(): Promise<Discovered | Fault> {
    const request: Request = { jsonrpc: '2.0', method: 'server/discover', params: withEnvelope({}, this.#clientInfo), id: DISCOVER_ID }
    const server = this.#server
    const no = (why: string) => fault('bad_reply', `MCP server '${server}' does not speak revision ${STATELESS}: ${why}`, { server })
    try {
      const first = readDiscovered(await this.#ask(request))
      // It named another revision than the requested one, or has changed its mind.
      const isMistaken = first && !first.result && first.supported.includes(STATELESS)
      return (isMistaken ? readDiscovered(await this.#ask(request)) : first) ?? no('it does not know server/discover')
    } catch (error) {
      if (error instanceof LinkError && !isRefusal(error.fault)) throw error
      // A request that is refused in this revision may work in another.
      return no(error instanceof LinkError ? error.fault.detail : 'what it answers is not a message of MCP')
    }
  }

  /** The answer to `initialize`, whichever method the server supports. */
  async #agree(initialize: Request): Promise<RpcAnswer> {
    const required = this.#required
    const session = () => this.#initialize(initialize, required === undefined ? WITH_SESSIONS : [required])
    if (required !== STATELESS && (required !== undefined || this.#link.hasSessions)) return session()
    this.#isProbed = true
    const discovering = this.#discover()
    // Its failure is handled below, or no longer matters.
    discovering.catch(() => {})
    const first = required === undefined ? await waitAtMost(this.#silenceMs, discovering) : await discovering
    if (first) return this.#settle(first, initialize.id, required === undefined ? session : undefined)
    // If both were sent, a session works with every server that offers one.
    try {
      const answer = await session()
      if ('error' in answer) return this.#settle(await discovering, initialize.id, async () => answer)
      this.#link.cancel?.(DISCOVER_ID)
      return answer
    } catch (error) {
      if (!(error instanceof LinkError) || !isRefusal(error.fault)) throw error
      return this.#settle(await discovering, initialize.id, () => Promise.reject(error))
    }
  }

  /** By the first of these revisions that the server takes: some refuse one that they do not know, and name no other. */
  async #initialize(initialize: Request, revisions: readonly string[]): Promise<RpcAnswer> {
    const [protocolVersion, ...older] = revisions
    const ask = () => this.#ask({ ...initialize, params: { ...initialize.params, protocolVersion } })
    const next = () => this.#initialize(initialize, older)
    if (older.length === 0) return ask()
    try {
      const answer = await ask()
      if (!('error' in answer) || !/version/i.test(answer.error.message)) return answer
      const stepped = await next()
      return 'error' in stepped ? answer : stepped
    } catch (error) {
      if (!(error instanceof LinkError) || error.fault.status !== 400) throw error
      return next().catch(() => Promise.reject(error))
    }
  }

  async #settle(given: Discovered | Fault, id: RequestId, session: (() => Promise<RpcAnswer>) | undefined): Promise<RpcAnswer> {
    if ('error' in given) return session ? session() : givenUp(id, given)
    const { supported, result } = given
    if (result && supported.includes(STATELESS)) {
      this.#discovered = given
      return { jsonrpc: '2.0', id, result: result as never }
    }
    if (session && WITH_SESSIONS.some((version) => supported.includes(version))) return session()
    const ours = this.#required ?? [STATELESS, ...WITH_SESSIONS].join(', ')
    const server = this.#server
    return givenUp(id, fault('bad_reply', `MCP server '${server}' speaks ${supported.join(', ')}, and this client ${ours}`, { server }))
  }

  async #listen(): Promise<void> {
    const { tools } = (this.#discovered?.result?.capabilities ?? {}) as { readonly tools?: unknown }
    if (!isRecord(tools) || tools.listChanged !== true) return
    const params = withEnvelope({ notifications: { toolsListChanged: true } }, this.#clientInfo)
    // Without it, changes are noticed when a call is refused.
    this.#inner.send({ jsonrpc: '2.0', method: 'subscriptions/listen', params, id: LISTEN_ID }).catch(() => {})
  }

  async #sendStateless(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message)) return
    const { method, params } = message
    if ('id' in message)
      return this.#rounds.send({ jsonrpc: '2.0', method, params: withEnvelope(params, this.#clientInfo), id: message.id } as Request)
    if (method === 'notifications/initialized') return this.#listen()
    if (method !== 'notifications/cancelled') return
    const requestId = this.#rounds.cancel(params?.requestId as RequestId)
    if (requestId === undefined) return
    if (this.#link.cancel) this.#link.cancel(requestId)
    else await this.#inner.send({ ...message, params: { ...params, requestId } } as JSONRPCMessage)
  }
}

/** Properties of a request, not of the client. */
const isRefusal = ({ status }: Fault): boolean => typeof status === 'number' && ![401, 403, 429].includes(status)
