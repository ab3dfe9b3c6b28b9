// The library for programs that call the processes of a spec: of one that is run here, or of a plumb-serve elsewhere.

import { openServer, type ServerOptions } from './http.js'
import type { SpecOptions } from './pipe.js'
import type { Connection } from './types.js'

export { type Growing, type PartialAnswer, partialOf } from './growing.js'
export type { ServerOptions } from './http.js'
export { reveal, type Secret, secret, type Untrusted, untrusted } from './labels.js'
export type { SpecOptions } from './pipe.js'
export {
  type CallOptions,
  type Connection,
  type Event,
  type Fault,
  type Inputs,
  type Json,
  type Method,
  method,
  type Outcome,
  PlumbError,
  type Question,
  type StreamItem,
  type StreamOptions,
} from './types.js'

/** `{ spec }` starts the executables; `{ url, token }` speaks to plumb-serve. */
export const open = async (options: SpecOptions | ServerOptions): Promise<Connection> => {
  if ('url' in options) return openServer(options)
  const { openSpec } = await import('./pipe.js')
  return openSpec(options)
}
