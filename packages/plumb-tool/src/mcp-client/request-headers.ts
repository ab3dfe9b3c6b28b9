// What a request of revision 2026-07-28 says in its headers too, for those between client and server who do not read bodies.

import { encodeHeader, type ParameterHeaders } from './parameter-headers.js'
import { namedRevision, STATELESS } from './revision.js'

export interface Named {
  readonly id: unknown
  readonly headers: Readonly<Record<string, string>>
}

/** The body field that `Mcp-Name` repeats. */
const NAMED_BY: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }

/** Of one message as JSON; undefined: it is of a session. `parameters` are asked for the arguments as the server gets them. */
export const readNamed = (text: string, parameters: ParameterHeaders): Named | undefined => {
  if (!text.includes(STATELESS)) return undefined
  const { id, method, params } = JSON.parse(text) as { id?: unknown; method?: string; params?: Readonly<Record<string, unknown>> }
  const revision = namedRevision(params)
  if (revision === undefined || method === undefined) return undefined
  const name = params?.[NAMED_BY[method] ?? '']
  return {
    id,
    headers: {
      'mcp-protocol-version': revision,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': encodeHeader(name) } : {}),
      ...(method === 'tools/call' && typeof name === 'string' ? parameters.of(name, params?.arguments) : {}),
    },
  }
}
