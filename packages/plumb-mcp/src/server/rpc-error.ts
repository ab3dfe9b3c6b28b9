// Errors of a request itself, as JSON-RPC has them; what a tool comes to is a result, also where it is an error.

import { type Fault, scrub } from '@plumb/wire'

export const INVALID_REQUEST = -32600
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
export const PARSE_ERROR = -32700
export const RESOURCE_NOT_FOUND = -32002
/** Of ours: refused for now, or for good. */
export const REFUSED = -32000

/** Thrown by what answers requests, and nowhere else: the SDK makes the answer of it. */
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
