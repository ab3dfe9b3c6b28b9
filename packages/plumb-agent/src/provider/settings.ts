// The settings of a provider.

import type { Fault, ProviderLane, Result } from '@plumb/wire'
import type { Timing } from './http/timing.js'
import type { KeyCommandWords } from './key-words.js'
import type { Provider } from './provider.js'

export interface ProviderSettings {
  readonly model: string | undefined
  /** From the spec, checked by lang. */
  readonly config: Readonly<Record<string, unknown>>
  readonly specPath: string
  readonly readText: (path: string) => Result<string>
  /** The value of the account's `keyVariable`, if it has one. */
  readonly key: string | undefined
  /** The command that gives the key, before any variable. */
  readonly keyCommand?: KeyCommandWords | undefined
  /** The environment, for endpoints that are made of variables. */
  readonly variables?: Readonly<Record<string, string | undefined>>
  /** No request is ever sent: a key may be missing. */
  readonly isNeverAsked?: boolean
  /** PLUMB_ENDPOINT. */
  readonly endpointFromEnv: string | undefined
  /** HOST or HOST:PORT, from --allow-host: hosts other than the provider's own and loopback that may get a key. */
  readonly allowedHosts: readonly string[]
  /** The current value, if the key is not set. */
  readonly lane?: ProviderLane | undefined
  /** For tests: other deadlines, another clock. */
  readonly timing?: Partial<Timing>
}

/** The provider, or all errors in its settings. */
export type PreparedProvider = Result<Provider, readonly Fault[]>
