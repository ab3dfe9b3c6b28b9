// The providers there are. Each is one file, and one line here.

import { type Fault, fault, type Result } from '@plumb/wire'
import { prepareEliza } from './eliza/prepare.js'
import type { Provider } from './provider.js'

export interface ProviderSettings {
  readonly model: string | undefined
  /** As the spec has it, checked by lang. */
  readonly config: Readonly<Record<string, unknown>>
  readonly specPath: string
  readonly readText: (path: string) => Result<string>
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

const notServed = (name: string) => (): Prepared => ({
  faults: [fault('config_invalid', `provider '${name}' is not served by this version of plumb-agent; it answers with 'eliza' only`)],
})

export const PROVIDERS: Readonly<Record<string, ProviderEntry>> = {
  anthropic: { keyVariable: 'ANTHROPIC_API_KEY', prepare: notServed('anthropic') },
  openai: { keyVariable: 'OPENAI_API_KEY', prepare: notServed('openai') },
  eliza: { keyVariable: undefined, prepare: prepareEliza },
}
