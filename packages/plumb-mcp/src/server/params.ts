// The parameters of a request, read one by one.

import type { Params } from './methods.js'
import { INVALID_PARAMS, RpcError } from './rpc-error.js'

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
