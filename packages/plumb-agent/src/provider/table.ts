// All providers: the accounts over HTTP, ELIZA, and a person.

import { ACCOUNTS } from '@plumb/wire'
import { prepareEliza } from './eliza/prepare.js'
import { preparePerson } from './person.js'
import { prepareChat } from './prepare-chat.js'
import type { PreparedProvider, ProviderSettings } from './settings.js'

export interface ProviderEntry {
  /** The environment variable of its key, if it needs one. */
  readonly keyVariable: string | undefined
  readonly keyCommand?: readonly string[] | undefined
  /** Sends nothing yet. */
  readonly prepare: (settings: ProviderSettings) => PreparedProvider
}

export const PROVIDERS: ReadonlyMap<string, ProviderEntry> = new Map<string, ProviderEntry>([
  ...ACCOUNTS.map(
    (account) =>
      [account.name, { keyVariable: account.keyVariable, keyCommand: account.keyCommand, prepare: prepareChat(account) }] as const,
  ),
  ['eliza', { keyVariable: undefined, prepare: prepareEliza }],
  ['person', { keyVariable: undefined, prepare: preparePerson }],
])
