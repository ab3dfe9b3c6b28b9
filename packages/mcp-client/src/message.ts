// Recognises JSON-RPC messages of MCP.

import type { JSONRPCMessage, JSONRPCResultResponse, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { isRecord } from '@plumb/wire'
import type { RpcAnswer } from './revision.js'

/** The messages in one value: revision 2025-03-26 has lists of them. Undefined if any of them is invalid. */
export const messagesIn = (value: unknown): readonly JSONRPCMessage[] | undefined => {
  const all = Array.isArray(value) ? value : [value]
  return all.length > 0 && all.every(isMessage) ? all : undefined
}

/** Our ids are whole numbers; some servers write them as text. */
export const withOwnId = (id: RequestId | undefined): RequestId | undefined =>
  typeof id === 'string' && /^\d{1,15}$/.test(id) && String(Number(id)) === id ? Number(id) : id

/** An answer as the SDK takes it: its id as it was sent, and no member that is null where it may be left out. */
export const tidyAnswer = (answer: RpcAnswer): RpcAnswer => {
  const id = withOwnId(answer.id) as RequestId
  if ('error' in answer && isRecord(answer.error)) return { jsonrpc: '2.0', id, error: answer.error }
  const { result } = answer as JSONRPCResultResponse
  const isTidy = id === answer.id && Object.keys(answer).length === 3 && !Object.values(result).includes(null)
  if (isTidy && !('capabilities' in result)) return answer
  const kept = Object.entries(result).filter(([key, value]) => value !== null || key === 'structuredContent')
  const parts = kept.map(([key, value]) => [key, DEEP.has(key) ? withoutNulls(value) : value])
  return { jsonrpc: '2.0', id, result: Object.fromEntries(parts) }
}

/** Members of an answer to initialize. */
const DEEP: ReadonlySet<string> = new Set(['capabilities', 'serverInfo'])

const withoutNulls = (value: unknown): unknown =>
  isRecord(value)
    ? Object.fromEntries(Object.entries(value).flatMap(([key, part]) => (part === null ? [] : [[key, withoutNulls(part)]])))
    : value

const isMessage = (value: unknown): value is JSONRPCMessage => {
  if (!isRecord(value) || value.jsonrpc !== '2.0') return false
  if (typeof value.method === 'string') return value.id === undefined || isId(value.id)
  return isId(value.id) && (isRecord(value.result) || (isRecord(value.error) && typeof value.error.message === 'string'))
}

/** The id of the request that it answers. Undefined for requests and notifications. */
export const answeredId = (message: JSONRPCMessage): RequestId | undefined => ('method' in message ? undefined : message.id)

const isId = (id: unknown): boolean => typeof id === 'string' || typeof id === 'number'
