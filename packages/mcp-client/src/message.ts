// Recognises JSON-RPC messages of MCP.

import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { isRecord } from '@plumb/wire'

/** The messages in one value: revision 2025-03-26 has lists of them. Undefined if any of them is invalid. */
export const messagesIn = (value: unknown): readonly JSONRPCMessage[] | undefined => {
  const all = Array.isArray(value) ? value : [value]
  return all.length > 0 && all.every(isMessage) ? all : undefined
}

const isMessage = (value: unknown): value is JSONRPCMessage => {
  if (!isRecord(value) || value.jsonrpc !== '2.0') return false
  if (typeof value.method === 'string') return value.id === undefined || isId(value.id)
  return isId(value.id) && (isRecord(value.result) || (isRecord(value.error) && typeof value.error.message === 'string'))
}

/** The id of the request that it answers. Undefined for requests and notifications. */
export const answeredId = (message: JSONRPCMessage): RequestId | undefined => ('method' in message ? undefined : message.id)

const isId = (id: unknown): boolean => typeof id === 'string' || typeof id === 'number'
