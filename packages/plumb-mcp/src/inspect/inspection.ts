// The request to a server, and the context that a command gets to answer it.

import type { McpConnection, ServerConfig } from '@plumb/tool/internal'
import type { Fault } from '@plumb/wire'

export type InspectVerbName = 'tools' | 'call' | 'prompts' | 'resources'

export interface InspectRequest {
  readonly verb: InspectVerbName
  /** The words before the server: a name, JSON, a URI. */
  readonly words: readonly string[]
  readonly config: ServerConfig
  /** Shows everything that the server writes to stderr. */
  readonly isVerbose: boolean
}

export interface Inspection {
  readonly asked: InspectRequest
  readonly connection: McpConnection
  readonly isVerbose: boolean
  /** Fires when the answer is no longer wanted. */
  readonly signal: AbortSignal
  /** Writes one JSON value on a line. */
  readonly write: (json: string) => void
  readonly report: (error: Fault) => void
}

/** Resolves when everything has been written. */
export type InspectVerb = (inspection: Inspection) => Promise<void>
