// Revision 2026-07-28 for a client: the metadata of requests, and of answers in addition to their results.

import type { JSONRPCErrorResponse, JSONRPCRequest, JSONRPCResultResponse } from '@modelcontextprotocol/sdk/types.js'
import { isRecord, preview } from '@plumb/wire'

export const STATELESS = '2026-07-28'
/** Those with initialize, newest first. */
export const WITH_SESSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

const PREFIX = 'io.modelcontextprotocol/'
const VERSION = `${PREFIX}protocolVersion`

export type RpcParams = Readonly<Record<string, unknown>>
export type RpcAnswer = JSONRPCResultResponse | JSONRPCErrorResponse
export type Request = Pick<JSONRPCRequest, 'jsonrpc' | 'method' | 'id'> & { readonly params?: RpcParams }

/** What this client can do. */
const CAPABILITIES = { extensions: { [`${PREFIX}tasks`]: {} } }

/** The parameters with the metadata of the request. */
export const withEnvelope = (params: RpcParams | undefined, clientInfo: unknown): RpcParams => ({
  ...params,
  _meta: {
    ...(isRecord(params?._meta) ? params._meta : {}),
    [VERSION]: STATELESS,
    [`${PREFIX}clientInfo`]: clientInfo,
    [`${PREFIX}clientCapabilities`]: CAPABILITIES,
  },
})

/** The revision that a request names. Undefined: it belongs to a session. */
export const namedRevision = (params: unknown): string | undefined => {
  const revision = isRecord(params) && isRecord(params._meta) ? params._meta[VERSION] : undefined
  return typeof revision === 'string' ? revision : undefined
}

export interface Discovered {
  readonly supported: readonly string[]
  /** The equivalent result of `initialize`. Undefined: the server supports none of the revisions with discover. */
  readonly result?: RpcParams
}

/** Undefined: not an answer to server/discover, as from a server that does not support it. */
export const readDiscovered = (answer: RpcAnswer): Discovered | undefined => {
  if ('error' in answer) return readUnsupported(answer.error)
  const { supportedVersions, capabilities, instructions, serverInfo, _meta } = answer.result
  if (!Array.isArray(supportedVersions) || !isRecord(capabilities)) return undefined
  const info = (isRecord(_meta) ? _meta[`${PREFIX}serverInfo`] : undefined) ?? serverInfo
  const { name, version } = isRecord(info) ? info : {}
  const text = (value: unknown): string => (typeof value === 'string' ? value : '')
  return {
    supported: texts(supportedVersions),
    result: {
      // The SDK accepts no other; the negotiated revision is stored here.
      protocolVersion: WITH_SESSIONS[0],
      capabilities,
      serverInfo: { name: text(name), version: text(version) },
      ...(typeof instructions === 'string' ? { instructions } : {}),
    },
  }
}

const readUnsupported = ({ code, data }: { readonly code: number; readonly data?: unknown }): Discovered | undefined =>
  code === UNSUPPORTED_VERSION && isRecord(data) && Array.isArray(data.supported) ? { supported: texts(data.supported) } : undefined

const UNSUPPORTED_VERSION = -32_022

const texts = (values: readonly unknown[]): readonly string[] => values.filter((value) => typeof value === 'string')

export type RoundOutcome =
  | { readonly kind: 'result'; readonly result: RpcParams }
  /** The request is to be repeated with these. */
  | { readonly kind: 'again'; readonly params: RpcParams }
  /** It goes on as this one. */
  | { readonly kind: 'task'; readonly taskId: string; readonly state: RpcParams }
  | { readonly kind: 'wrong'; readonly why: string }

/** No person can be asked here: a server that asks one is answered no. */
export const readOutcome = (result: RpcParams): RoundOutcome => {
  const { resultType = 'complete', inputRequests, requestState, ...rest } = result
  if (resultType === 'complete') return { kind: 'result', result: rest }
  if (resultType === 'task')
    return typeof rest.taskId === 'string'
      ? { kind: 'task', taskId: rest.taskId, state: { ...rest, inputRequests } }
      : { kind: 'wrong', why: "is a task, and has no 'taskId'" }
  if (resultType !== 'input_required')
    return { kind: 'wrong', why: `has a 'resultType' that is not known: ${preview(JSON.stringify(resultType))}` }
  const inputResponses = declining(inputRequests)
  if (typeof inputResponses === 'string') return { kind: 'wrong', why: inputResponses }
  const isAsked = Object.keys(inputResponses).length > 0
  if (!isAsked && requestState === undefined) return { kind: 'wrong', why: 'wants input, and does not say which' }
  return {
    kind: 'again',
    params: { ...(isAsked ? { inputResponses } : {}), ...(requestState === undefined ? {} : { requestState }) },
  }
}

/** `inputResponses` to these; or why there are none. */
export const declining = (inputRequests: unknown): Readonly<Record<string, unknown>> | string => {
  const asked = isRecord(inputRequests) ? Object.entries(inputRequests) : []
  const unexpected = asked.find(([, request]) => !isRecord(request) || request.method !== 'elicitation/create')
  if (unexpected) return `asks for what is not offered: ${preview(JSON.stringify(unexpected[1]))}`
  return Object.fromEntries(asked.map(([key]) => [key, { action: 'decline' }]))
}
