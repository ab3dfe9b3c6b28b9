// JSON-RPC over one transport, both ways: answers the client's requests, notifies it, and sends it requests. The SDK's own does the same,
// but it and its schemas take as long to load as the rest of a start.

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js'
import { isRecord } from '@plumb/wire'
import type { Notification, Params, RequestContext } from './method.js'
import { toRpcError } from './rpc-error.js'

type Id = string | number

/** If a client has several streams, it is sent on that of the request `relatedTo`. */
export interface JsonRpc {
  /** Also resolves when the client has ended. */
  notify(notification: Notification, relatedTo?: Id): Promise<void>
  /** Resolves to the result; rejects if it was refused or cancelled, timed out, or the client has ended. */
  ask(method: string, params: Params, options: RequestOptions): Promise<unknown>
  /** From now on messages come in. */
  start(): Promise<void>
  close(): Promise<void>
}

export interface RequestOptions {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly relatedTo: Id
}

export interface RpcRequest extends Omit<RequestContext, 'ask' | 'traceparent'> {
  /** `traceparent` of the HTTP request that it came with. */
  readonly header: string | undefined
}

/** Resolves to the result; rejects with an `RpcError` if the request is wrong. */
export type RpcHandler = (method: string, params: Params, request: RpcRequest) => Promise<object>

/** `onClosed` is called once, when the client has ended or closed. */
export const openJsonRpc = (transport: Transport, answer: RpcHandler, onClosed: () => void): JsonRpc => {
  const running = new Map<Id, AbortController>()
  const asked = new Map<Id, (reply: Params | undefined) => void>()
  let lastId = -1
  const send = async (message: object, relatedTo?: Id): Promise<void> => {
    try {
      await transport.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage, relatedTo === undefined ? {} : { relatedRequestId: relatedTo })
    } catch {
      // The client has ended, which is handled elsewhere.
    }
  }
  const takeRequest = async (id: Id, method: string, params: Params, header: string | undefined): Promise<void> => {
    const stop = new AbortController()
    running.set(id, stop)
    const reply = await answer(method, params, {
      signal: stop.signal,
      requestId: id,
      _meta: params._meta as RequestContext['_meta'],
      header,
      sendNotification: async (notification) => {
        if (!stop.signal.aborted) await send(notification, id)
      },
    }).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: toRpcError(error) }),
    )
    if (running.get(id) === stop) running.delete(id)
    // A cancelled request is not answered.
    if (!stop.signal.aborted) await send({ id, ...reply })
  }
  const take = (message: JSONRPCMessage, extra?: MessageExtraInfo): void => {
    if (!('method' in message)) {
      const { id } = message
      if (id !== undefined) asked.get(id)?.(message as unknown as Params)
      return
    }
    const { method, params = {} } = message
    if ('id' in message) void takeRequest(message.id, method, params, headerIn(extra))
    else if (method === 'notifications/cancelled') running.get(params.requestId as Id)?.abort()
  }
  transport.onmessage = take
  const closedBefore = transport.onclose
  transport.onclose = () => {
    closedBefore?.()
    for (const stop of running.values()) stop.abort()
    for (const give of asked.values()) give(undefined)
    onClosed()
  }
  return {
    notify: send,
    ask: (method, params, { signal, timeoutMs, relatedTo }) =>
      new Promise((resolve, reject) => {
        const id = ++lastId
        const end = (): void => {
          asked.delete(id)
          clearTimeout(timer)
          signal.removeEventListener('abort', abandon)
        }
        const abandon = (): void => {
          end()
          void send({ method: 'notifications/cancelled', params: { requestId: id } }, relatedTo)
          reject(new Error(`${method} was cancelled or timed out`))
        }
        const timer = setTimeout(abandon, timeoutMs)
        signal.addEventListener('abort', abandon, { once: true })
        asked.set(id, (reply) => {
          end()
          if (isRecord(reply?.result)) resolve(reply.result)
          else reject(new Error(`${method} was refused`))
        })
        void send({ id, method, params }, relatedTo)
      }),
    start: () => transport.start(),
    close: () => transport.close(),
  }
}

const headerIn = (extra: MessageExtraInfo | undefined): string | undefined => {
  const value = extra?.requestInfo?.headers.traceparent
  return typeof value === 'string' ? value : undefined
}
