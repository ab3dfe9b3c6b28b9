// A method of the protocol: its view of the client and of the request, and how it reads its parameters.

import type { WalkedCalls } from '@plumb/tool/internal'
import type { Subscriptions } from '../resources/subscriptions.js'
import type { Level } from './level.js'
import { INVALID_PARAMS, RpcError } from './rpc-error.js'
import type { ServerContext } from './server-context.js'

/** The caller: a client that has initialized, or one request of revision 2026-07-28, which carries all that is known of it. */
export interface Caller {
  readonly context: ServerContext
  /** In that revision structured content is any JSON value, and a missing resource is an invalid param. */
  readonly isStateless: boolean
  /** Its calls, in the order of the server's protocol. Undefined: in any order. */
  readonly calls: WalkedCalls | undefined
  /** Sends a log message, if its level is high enough; `send` if it belongs to a request that is being answered. */
  log(level: Level, data: unknown, send?: RequestContext['sendNotification']): void
}

export interface Client extends Caller {
  readonly subscriptions: Subscriptions
  /** The lowest level that it gets. */
  level: Level
  /** Tools and prompts were added, removed or changed. */
  listChanged(): void
  close(): Promise<void>
}

export interface RequestContext {
  readonly signal: AbortSignal
  readonly requestId: string | number
  readonly _meta?: { readonly progressToken?: string | number } | undefined
  /** The span of the request, where there is a collector. */
  readonly traceparent?: string | undefined
  readonly sendNotification: (notification: Notification) => Promise<void>
  /** What the person at the client has entered in a form. Undefined: nothing, or the client cannot ask. */
  readonly ask: (question: FormQuestion, signal: AbortSignal) => Promise<Params | undefined>
}

export interface FormQuestion {
  readonly message: string
  /** Of primitive members (MCP, elicitation). */
  readonly requestedSchema: object
}

export interface Notification {
  readonly method: string
  readonly params?: Record<string, unknown>
}

export type Params = Readonly<Record<string, unknown>>

/** Rejects with an `RpcError` if the request is wrong. */
export type Method<C extends Caller = Caller> = (client: C, params: Params, request: RequestContext) => Promise<object>

export const textParam = (params: Params, name: string): string => {
  const value = params[name]
  if (typeof value === 'string') return value
  throw new RpcError(INVALID_PARAMS, `'${name}' takes a string`)
}

/** Empty by default. */
export const recordParam = (params: Params, name: string): Params => {
  const value = params[name] ?? {}
  if (typeof value === 'object' && !Array.isArray(value)) return value as Params
  throw new RpcError(INVALID_PARAMS, `'${name}' takes an object`)
}
