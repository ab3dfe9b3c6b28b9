// What a provider is set up from.

import type { Fault, ProviderLane, Result } from '@plumb/wire'
import type { Timing } from './http/timing.js'
import type { Provider } from './provider.js'

export interface ProviderSettings {
  readonly model: string | undefined
  /** As the spec has it, checked by lang. */
  readonly config: Readonly<Record<string, unknown>>
  readonly specPath: string
  readonly readText: (path: string) => Result<string>
  /** The value of the account's `keyVariable`, where it has one. */
  readonly key: string | undefined
  /** Nothing is ever asked: a key may be missing. */
  readonly isNeverAsked?: boolean
  /** PLUMB_ENDPOINT. */
  readonly endpointFromEnv: string | undefined
  /** HOST or HOST:PORT, from --allow-host: besides the provider's own and loopback, where a key may go. */
  readonly allowedHosts: readonly string[]
  /** Now, where it is not said. */
  readonly lane?: ProviderLane | undefined
  /** For tests: other deadlines, another clock. */
  readonly timing?: Partial<Timing>
}

/** The provider, or everything that is wrong with its settings. */
export type PreparedProvider = Result<Provider, readonly Fault[]>
