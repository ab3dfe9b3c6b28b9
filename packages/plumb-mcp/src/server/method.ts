// A method of the protocol: what it gets of the client and of the request, and how it reads its parameters.

import type { Subscriptions } from '../resources/subscriptions.js'
import type { Level } from './level.js'
import { INVALID_PARAMS, RpcError } from './rpc-error.js'
import type { ServerContext } from './server-context.js'

/** Who asks: a client that has initialized, or one request of revision 2026-07-28, which says itself all that is to be known. */
export interface Caller {
  readonly context: ServerContext
  /** By that revision structured content is any JSON, and what is no resource is an invalid param. */
  readonly isStateless: boolean
  /** Sends a message of the log, from its level up; `send` where it belongs to a request that is being answered. */
  log(level: Level, data: unknown, send?: RequestContext['sendNotification']): void
}

export interface Client extends Caller {
  readonly subscriptions: Subscriptions
  /** The least that it is sent. */
  level: Level
  /** Tools and prompts have come, gone or changed. */
  listChanged(): void
  close(): Promise<void>
}

export interface RequestContext {
  readonly signal: AbortSignal
  readonly requestId: string | number
  readonly _meta?: { readonly progressToken?: string | number } | undefined
  readonly sendNotification: (notification: Notification) => Promise<void>
  /** What the person at the client answers to this question; no where the client cannot ask. */
  readonly approve: (message: string, signal: AbortSignal) => Promise<boolean>
}

export interface Notification {
  readonly method: string
  readonly params?: Record<string, unknown>
}

export type Params = Readonly<Record<string, unknown>>

/** Rejects with an `RpcError` where the request is wrong. */
export type Method<C extends Caller = Caller> = (client: C, params: Params, request: RequestContext) => Promise<object>

export const textParam = (params: Params, name: string): string => {
  const value = params[name]
  if (typeof value === 'string') return value
  throw new RpcError(INVALID_PARAMS, `'${name}' takes a string`)
}

/** Left out, it is empty. */
export const recordParam = (params: Params, name: string): Params => {
  const value = params[name] ?? {}
  if (typeof value === 'object' && !Array.isArray(value)) return value as Params
  throw new RpcError(INVALID_PARAMS, `'${name}' takes an object`)
}
