// Errors of a request itself, as in JSON-RPC; a tool's error is a result.

import { type Fault, preview, scrub } from '@plumb/wire'

export const INVALID_REQUEST = -32600
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
const INTERNAL_ERROR = -32603
export const PARSE_ERROR = -32700
export const RESOURCE_NOT_FOUND = -32002
/** Ours: refused for now, or for good. */
export const REFUSED = -32000

/** Of 2026-07-28. */
export const HEADER_MISMATCH = -32020
export const MISSING_CAPABILITY = -32021
export const UNSUPPORTED_VERSION = -32022

/** Thrown only while a request is answered: it becomes the response. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message)
  }
}

export const rpcError = (code: number, fault: Fault): RpcError =>
  new RpcError(code, scrub(fault.detail), JSON.parse(scrub(JSON.stringify(fault))))

export const noMethod = (name: string): RpcError => new RpcError(METHOD_NOT_FOUND, `there is no method '${preview(name)}'`)

/** The error of a response; any other exception is a bug. */
export const toRpcError = (error: unknown): { readonly code: number; readonly message: string; readonly data?: unknown } => {
  if (!(error instanceof RpcError)) return { code: INTERNAL_ERROR, message: scrub(String(error)) }
  const { code, message, data } = error
  return { code, message, ...(data === undefined ? {} : { data }) }
}
