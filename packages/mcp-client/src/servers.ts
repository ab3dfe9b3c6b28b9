// The MCP servers that all calls of a session share, as those calls see them.

import type { Fault, Result } from '@plumb/wire'
import type { McpConnection, ServerConfig } from './connection.js'

export interface McpServers {
  /**
   * The one connection to a server, opened at the first call. A failed attempt may be repeated; a lost connection stays lost.
   * `onToolsChanged` is called at each change of the server's tools.
   */
  connect(config: ServerConfig, onToolsChanged?: () => void): Promise<Result<McpConnection>>
  /** Passes a warning on, once for each `detail`. */
  warn(warning: Fault): void
  /** Whether what sandboxes refuse is a warning. */
  readonly tracesSandbox?: boolean | undefined
  readonly isClosed: boolean
  /** Resolves when no server that was started here is left. */
  close(): Promise<void>
}
