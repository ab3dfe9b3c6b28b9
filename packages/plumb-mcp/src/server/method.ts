// A method of the protocol: what it gets of the client and of the request, and how it reads its parameters.

import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Subscriptions } from '../resources/subscriptions.js'
import type { Level } from './level.js'
import { INVALID_PARAMS, RpcError } from './rpc-error.js'
import type { ServerContext } from './server-context.js'

export interface Client {
  readonly server: Server
  readonly context: ServerContext
  readonly subscriptions: Subscriptions
  /** The least that it is sent. */
  level: Level
  /** Sends a message of the log, from its level up; `send` where it belongs to a request that is being answered. */
  log(level: Level, data: unknown, send?: RequestContext['sendNotification']): void
  /** Tools and prompts have come, gone or changed. */
  listChanged(): void
  close(): Promise<void>
}

/** What the SDK gives along with a request. */
export interface RequestContext {
  readonly signal: AbortSignal
  readonly requestId: string | number
  readonly _meta?: { readonly progressToken?: string | number } | undefined
  readonly sendNotification: (notification: { readonly method: string; readonly params: Record<string, unknown> }) => Promise<void>
}

export type Params = Readonly<Record<string, unknown>>

/** Rejects with an `RpcError` where the request is wrong. */
export type Method = (client: Client, params: Params, request: RequestContext) => Promise<object>

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
