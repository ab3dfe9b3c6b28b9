// What all clients of one server share.

import type { Fault } from '@plumb/wire'
import type { Files } from '../resources/files.js'
import type { Catalogue } from '../tools/catalogue.js'
import type { ActiveCalls } from './active-calls.js'
import type { Turns } from './turns.js'

export interface Shared {
  readonly catalogue: Catalogue
  /** Undefined: no docroot was named. */
  readonly files: Files | undefined
  readonly calls: ActiveCalls
  readonly turns: Turns
  /** Of what is no answer to anybody. */
  readonly warn: (warning: Fault) => void
}
