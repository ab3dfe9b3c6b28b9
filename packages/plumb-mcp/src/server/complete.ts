// completion/complete: completes an argument of a prompt, or the path of a resource.

import { promptNamed } from './get-prompt.js'
import { type Caller, type Method, type Params, type RequestContext, recordParam, textParam } from './method.js'
import { INVALID_PARAMS, RpcError } from './rpc-error.js'

/** The protocol's maximum for one answer. */
const MAX_VALUES = 100

export const complete: Method = async (client, params, request) => {
  const argument = recordParam(params, 'argument')
  const [name, start] = [textParam(argument, 'name'), textParam(argument, 'value')]
  const found = await candidates(recordParam(params, 'ref'), name, start, client, request)
  const values = found.filter((value) => value.startsWith(start))
  return { completion: { values: values.slice(0, MAX_VALUES), hasMore: values.length > MAX_VALUES } }
}

const candidates = async (
  ref: Params,
  name: string,
  start: string,
  { context }: Caller,
  { signal }: RequestContext,
): Promise<readonly string[]> => {
  if (ref.type === 'ref/prompt') {
    const prompt = promptNamed(textParam(ref, 'name'), context)
    return name === 'input' ? prompt.choices : []
  }
  if (ref.type === 'ref/resource') return name === 'path' ? ((await context.files?.complete(start, MAX_VALUES + 1, signal)) ?? []) : []
  throw new RpcError(INVALID_PARAMS, '\'ref\' takes {"type":"ref/prompt"} or {"type":"ref/resource"}')
}
