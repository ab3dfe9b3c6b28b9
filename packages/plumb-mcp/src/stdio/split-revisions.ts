// One stream of lines for clients of all revisions: requests that name their revision are answered here, all others go to a session, which
// is opened for the first of them.

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { namesRevision } from '../stateless/envelope.js'
import type { StatelessRequest, StatelessServer } from '../stateless/stateless-server.js'
import type { StdioTransport } from './transport.js'

/** Starts the transport. `openSession` is called once, at the first message that needs one. */
export const splitRevisions = async (
  transport: StdioTransport,
  stateless: StatelessServer,
  openSession: (transport: Transport) => void,
): Promise<void> => {
  const running = new Map<string | number, AbortController>()
  let early: JSONRPCMessage[] | undefined
  const session: Transport = {
    start: async () => {
      for (const message of early?.splice(0) ?? []) session.onmessage?.(message)
      early = undefined
    },
    send: (message) => transport.send(message),
    close: () => transport.close(),
  }
  let isOpened = false
  const pass = (message: JSONRPCMessage): void => {
    if (!isOpened) {
      isOpened = true
      early = [message]
      openSession(session)
    } else if (early) early.push(message)
    else session.onmessage?.(message)
  }
  const answer = async (request: StatelessRequest): Promise<void> => {
    const stop = new AbortController()
    running.set(request.id, stop)
    const send = (notification: object): Promise<void> => transport.send({ jsonrpc: '2.0', ...notification } as JSONRPCMessage)
    const given = await stateless.answer(request, { signal: stop.signal, send })
    if (running.get(request.id) === stop) running.delete(request.id)
    if (given) await transport.send(given.message as JSONRPCMessage)
  }
  transport.onclose = () => {
    for (const stop of running.values()) stop.abort()
    session.onclose?.()
  }
  transport.onmessage = (message) => {
    if (!('method' in message)) return pass(message)
    const { method, params } = message
    if ('id' in message && isStateless(method, params)) return void answer(message as StatelessRequest)
    const given = method === 'notifications/cancelled' ? running.get(params?.requestId as string | number) : undefined
    if (given) given.abort()
    else pass(message)
  }
  void transport.ended.then(() => stateless.endListeners())
  await transport.start()
}

/** Two methods that no older revision has. */
const isStateless = (method: string, params: unknown): boolean =>
  namesRevision(params) || method === 'server/discover' || method === 'subscriptions/listen'
