// Wraps a transport so that the SDK, which initializes, can use servers of all revisions: its `initialize` becomes `server/discover` if the
// server supports that. Then each request names its revision, and requests for input are answered.

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { type Fault, fault, isRecord } from '@plumb/wire'
import { givenUp } from './guard.js'
import { type Link, LinkError } from './link.js'
import { type Discovered, type Request, type RpcAnswer, readDiscovered, STATELESS, WITH_SESSIONS, withEnvelope } from './revision.js'
import { openRounds } from './rounds.js'
import { waitAtMost } from './wait-at-most.js'

export interface NegotiateOptions {
  /** For messages. */
  readonly server: string
  /** The required revision. Undefined: the newest that the server supports. */
  readonly revision: string | undefined
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

/** After this time a server on a stream is initialized too: some older ones ignore unknown methods (ms). */
const SILENCE_MS = 2000

// The SDK counts from 0.
const DISCOVER_ID = 2 ** 40
const LISTEN_ID = DISCOVER_ID + 1
const FIRST_ID = DISCOVER_ID + 2

export const negotiate = (link: Link, { server, revision }: NegotiateOptions): Negotiated => {
  const inner = link.transport
  let clientInfo: unknown
  let discovered: Discovered | undefined
  let isProbed = false
  let isAnswered = false
  const asked = new Map<RequestId, (answer: RpcAnswer) => void>()
  const give = (answer: RpcAnswer): void => outer.onmessage?.(answer)
  const rounds = openRounds({ send: (request) => inner.send(request), give, server, firstId: FIRST_ID })

  const ask = (request: Request): Promise<RpcAnswer> =>
    new Promise((resolve, reject) => {
      asked.set(request.id, resolve)
      inner.send(request).catch((error: unknown) => {
        asked.delete(request.id)
        reject(error)
      })
    })

  const discover = async (): Promise<Discovered | Fault> => {
    const request: Request = { jsonrpc: '2.0', method: 'server/discover', params: withEnvelope({}, clientInfo), id: DISCOVER_ID }
    const no = (why: string) => fault('bad_reply', `MCP server '${server}' does not speak revision ${STATELESS}: ${why}`, { server })
    try {
      const first = readDiscovered(await ask(request))
      // It named another revision than the requested one, or has changed its mind.
      const isMistaken = first && !first.result && first.supported.includes(STATELESS)
      return (isMistaken ? readDiscovered(await ask(request)) : first) ?? no('it does not know server/discover')
    } catch (error) {
      if (error instanceof LinkError && !isRefusal(error.fault)) throw error
      // A request that is refused in this revision may work in another.
      return no(error instanceof LinkError ? error.fault.detail : 'what it answers is no message of MCP')
    }
  }

  /** The answer to `initialize`, whichever method the server supports. */
  const agree = async (initialize: Request): Promise<RpcAnswer> => {
    const session = () =>
      ask({ ...initialize, params: { ...initialize.params, ...(revision === undefined ? {} : { protocolVersion: revision }) } })
    if (revision !== STATELESS && (revision !== undefined || link.hasSessions)) return session()
    isProbed = true
    const discovering = discover()
    // Its failure is handled below, or no longer matters.
    discovering.catch(() => {})
    const first = link.isStream && revision === undefined ? await waitAtMost(SILENCE_MS, discovering) : await discovering
    if (first) return settle(first, initialize.id, revision === undefined ? session : undefined)
    const answer = await session()
    // If both were sent, a session works with every server that offers one.
    return 'result' in answer ? answer : settle(await discovering, initialize.id, async () => answer)
  }

  const settle = async (given: Discovered | Fault, id: RequestId, session: (() => Promise<RpcAnswer>) | undefined): Promise<RpcAnswer> => {
    if ('error' in given) return session ? session() : givenUp(id, given)
    const { supported, result } = given
    if (result && supported.includes(STATELESS)) {
      discovered = given
      return { jsonrpc: '2.0', id, result: result as never }
    }
    if (session && WITH_SESSIONS.some((version) => supported.includes(version))) return session()
    const ours = revision ?? [STATELESS, ...WITH_SESSIONS].join(', ')
    return givenUp(id, fault('bad_reply', `MCP server '${server}' speaks ${supported.join(', ')}, and this client ${ours}`, { server }))
  }

  const listen = async (): Promise<void> => {
    const { tools } = (discovered?.result?.capabilities ?? {}) as { readonly tools?: unknown }
    if (!isRecord(tools) || tools.listChanged !== true) return
    const params = withEnvelope({ notifications: { toolsListChanged: true } }, clientInfo)
    // Without it, changes are noticed when a call is refused.
    inner.send({ jsonrpc: '2.0', method: 'subscriptions/listen', params, id: LISTEN_ID }).catch(() => {})
  }

  const sendStateless = async (message: JSONRPCMessage): Promise<void> => {
    if (!('method' in message)) return
    const { method, params } = message
    if ('id' in message) return rounds.send({ jsonrpc: '2.0', method, params: withEnvelope(params, clientInfo), id: message.id } as Request)
    if (method === 'notifications/initialized') return listen()
    if (method !== 'notifications/cancelled') return
    const requestId = rounds.cancel(params?.requestId as RequestId)
    if (link.cancel) link.cancel(requestId)
    else await inner.send({ ...message, params: { ...params, requestId } } as JSONRPCMessage)
  }

  const outer: Transport = {
    start: async () => {
      inner.onclose = () => outer.onclose?.()
      inner.onerror = (error) => outer.onerror?.(error)
      inner.onmessage = (message, extra) => {
        if ('method' in message) return outer.onmessage?.(message, extra)
        isAnswered = true
        const resolve = asked.get(message.id as RequestId)
        asked.delete(message.id as RequestId)
        if (resolve) resolve(message)
        else if (!discovered) outer.onmessage?.(message, extra)
        else if (message.id !== LISTEN_ID) rounds.receive(message)
      }
      await inner.start()
    },
    send: async (message, options) => {
      if ('method' in message && message.method === 'initialize' && 'id' in message) {
        clientInfo = message.params?.clientInfo
        give(await agree(message as Request))
      } else if (discovered) await sendStateless(message)
      else await inner.send(message, options)
    },
    close: () => inner.close(),
    setProtocolVersion: (version) => {
      if (!discovered) inner.setProtocolVersion?.(version)
    },
  }
  return {
    transport: outer,
    revision: () => (discovered ? STATELESS : undefined),
    ownId: rounds.ownId,
    isUnanswered: () => isProbed && !isAnswered,
  }
}

/** Properties of a request, not of the client. */
const isRefusal = ({ status }: Fault): boolean => typeof status === 'number' && ![401, 403, 429].includes(status)
