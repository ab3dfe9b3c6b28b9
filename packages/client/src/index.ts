// The library for programs that call the processes of a spec: of one that is run here, or of a plumb-serve elsewhere.

import type { SpecOptions } from './pipe.js'
import type { Connection } from './types.js'

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

/** `{ spec }` starts the executables. */
export const open = async (options: SpecOptions): Promise<Connection> => {
  const { openSpec } = await import('./pipe.js')
  return openSpec(options)
}
