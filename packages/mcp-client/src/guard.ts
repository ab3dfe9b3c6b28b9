// Wraps a transport: messages that answer none of our requests are kept from the SDK, which takes the id '7', or null, for a number.

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCErrorResponse, JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import type { Fault } from '@plumb/wire'
import type { Link } from './link.js'
import { answeredId } from './message.js'

export interface Guarded {
  readonly transport: Transport
  /** The negotiated revision. */
  readonly protocol: () => string
  readonly isPending: (id: RequestId) => boolean
  /** Answers that belong to no request, so far. */
  readonly unmatched: () => number
  /** Answers all open requests, or the given one, instead of the server, which will not. */
  readonly abandon: (fault: Fault, only?: RequestId) => void
}

/** In the data of such an answer. */
export const ABANDONED = Symbol('abandoned')

/** An answer instead of the server's. */
export const givenUp = (id: RequestId, why: Fault): JSONRPCErrorResponse => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32_000, message: '', data: { [ABANDONED]: why } },
})

export const guard = ({ transport: inner }: Pick<Link, 'transport'>): Guarded => {
  const asked = new Set<RequestId>()
  let protocol = ''
  let unmatched = 0
  const outer: Transport = {
    start: async () => {
      inner.onclose = () => outer.onclose?.()
      inner.onerror = (error) => outer.onerror?.(error)
      inner.onmessage = (message, extra) => {
        const id = answeredId(message)
        // Unknown, late or duplicate.
        if (id !== undefined && !asked.delete(id)) {
          unmatched++
          return
        }
        outer.onmessage?.(message, extra)
      }
      await inner.start()
    },
    send: async (message, options) => {
      if ('method' in message && 'id' in message && message.id !== undefined) asked.add(message.id)
      const given = cancelledId(message)
      if (given !== undefined) asked.delete(given)
      await inner.send(message, options)
    },
    close: () => inner.close(),
    setProtocolVersion: (version) => {
      protocol = version
      inner.setProtocolVersion?.(version)
    },
  }
  const abandon: Guarded['abandon'] = (fault, only) => {
    for (const id of only === undefined ? [...asked] : [only]) if (asked.delete(id)) outer.onmessage?.(givenUp(id, fault))
  }
  return { transport: outer, protocol: () => protocol, isPending: (id) => asked.has(id), unmatched: () => unmatched, abandon }
}

const cancelledId = (message: JSONRPCMessage): RequestId | undefined =>
  'method' in message && message.method === 'notifications/cancelled' ? (message.params?.requestId as RequestId) : undefined
