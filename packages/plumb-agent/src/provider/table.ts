// The providers there are. Each is one file, and one line here.

import { prepareEliza } from './eliza/prepare.js'
import { prepareChat } from './prepare-chat.js'
import { ANTHROPIC_ACCOUNT, OPENAI_ACCOUNT, type PreparedProvider, type ProviderSettings } from './settings.js'

export interface ProviderEntry {
  /** The environment variable that holds its key, where it needs one. */
  readonly keyVariable: string | undefined
  /** Sends nothing yet. */
  readonly prepare: (settings: ProviderSettings) => PreparedProvider
}

export const PROVIDERS: Readonly<Record<string, ProviderEntry>> = {
  anthropic: { keyVariable: ANTHROPIC_ACCOUNT.keyVariable, prepare: prepareChat(ANTHROPIC_ACCOUNT) },
  openai: { keyVariable: OPENAI_ACCOUNT.keyVariable, prepare: prepareChat(OPENAI_ACCOUNT) },
  eliza: { keyVariable: undefined, prepare: prepareEliza },
}
