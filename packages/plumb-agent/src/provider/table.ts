// The providers there are. Each is one file, and one line here.

import type { Fault, Result } from '@plumb/wire'
import { ANTHROPIC_ACCOUNT } from './anthropic/account.js'
import { prepareEliza } from './eliza/prepare.js'
import type { Timing } from './http/timing.js'
import { OPENAI_ACCOUNT } from './openai/account.js'
import { prepareChat } from './prepare-chat.js'
import type { Provider } from './provider.js'

export interface ProviderSettings {
  readonly model: string | undefined
  /** As the spec has it, checked by lang. */
  readonly config: Readonly<Record<string, unknown>>
  readonly specPath: string
  readonly readText: (path: string) => Result<string>
  /** What `keyVariable` holds. */
  readonly key: string | undefined
  /** PLUMB_ENDPOINT. */
  readonly endpointFromEnv: string | undefined
  /** HOST or HOST:PORT, from --allow-host: besides the provider's own and loopback, where a key may go. */
  readonly allowedHosts: readonly string[]
  /** For tests: other deadlines, another clock. */
  readonly timing?: Partial<Timing>
}

export interface ProviderEntry {
  /** The variable that holds its key, where it needs one. */
  readonly keyVariable: string | undefined
  /** Nothing is sent yet. */
  readonly prepare: (settings: ProviderSettings) => Prepared
}

/** The provider, or everything wrong with its settings. */
export type Prepared =
  | { readonly provider: Provider; readonly faults?: undefined }
  | { readonly provider?: undefined; readonly faults: readonly Fault[] }

export const PROVIDERS: Readonly<Record<string, ProviderEntry>> = {
  anthropic: { keyVariable: ANTHROPIC_ACCOUNT.keyVariable, prepare: prepareChat(ANTHROPIC_ACCOUNT) },
  openai: { keyVariable: OPENAI_ACCOUNT.keyVariable, prepare: prepareChat(OPENAI_ACCOUNT) },
  eliza: { keyVariable: undefined, prepare: prepareEliza },
}
