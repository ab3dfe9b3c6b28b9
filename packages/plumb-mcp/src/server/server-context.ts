// The state that all clients of one server share.

import type { EventEmitter } from 'node:events'
import type { WalkedProtocol } from '@plumb/tool/internal'
import type { Fault, Semaphore } from '@plumb/wire'
import type { ResourceFiles } from '../resources/files.js'
import type { ActiveCalls } from './active-calls.js'
import type { Catalogue } from './catalogue.js'
import type { RequestSpans } from './request-spans.js'

export interface ServerContext {
  readonly catalogue: Catalogue
  /** Undefined: no explicit docroot. */
  readonly files: ResourceFiles | undefined
  readonly calls: ActiveCalls
  /** One for each call that runs. */
  readonly permits: Semaphore
  /** Calls keep to it: each session walks it from its beginning. Undefined: in any order. */
  readonly protocol?: WalkedProtocol | undefined
  /** Emits `change` when tools or prompts were added, removed or changed; `walked` when a walk without a session has moved. */
  readonly changes: EventEmitter
  /** Sends a span of each request. Undefined: there is no collector. */
  readonly spans?: RequestSpans | undefined
  /** For errors that answer no request. */
  readonly warn: (warning: Fault) => void
}
