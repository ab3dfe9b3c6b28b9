// What is asked of which server.

import type { ServerConfig } from '@plumb/tool'

export type VerbName = 'tools' | 'call' | 'prompts' | 'resources'

export interface InspectFlags {
  readonly env?: Readonly<Record<string, string>>
  readonly tokenEnv?: string
  readonly clientIdEnv?: string
  readonly clientSecretEnv?: string
  readonly auth?: string
  readonly transport?: string
  readonly handshakeTimeout?: number
  readonly timeout?: number
  readonly cacheTtl?: number
  readonly verbose?: boolean
}

export interface Asked {
  readonly verb: VerbName
  /** Before the server: a name, JSON, a URI. */
  readonly words: readonly string[]
  readonly config: ServerConfig
  /** All that the server writes to stderr is shown. */
  readonly isVerbose: boolean
}
