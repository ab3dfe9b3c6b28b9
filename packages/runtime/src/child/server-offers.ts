// Passes the offers of an agent's MCP servers to a separate plumb-agent: in a file here, in messages elsewhere
// (plumb-tools(7), MCP servers).

import type { AgentServers, OfferedTool, ToolsFile } from '@plumb/tool/internal'
import type { Fault } from '@plumb/wire'

export class ServerOffers {
  readonly #servers: AgentServers
  readonly #file: ToolsFile
  readonly #forget: () => void
  #listener: ((offers: readonly OfferedTool[]) => void) | undefined

  constructor(servers: AgentServers, file: ToolsFile, report: (fault: Fault) => void) {
    this.#servers = servers
    this.#file = file
    this.#forget = servers.onChange(() => {
      const written = file.write(servers.offers())
      if (!written.ok) report(written.error)
      this.#listener?.(servers.offers())
    })
  }

  get now(): readonly OfferedTool[] {
    return this.#servers.offers()
  }

  /** For the agent alone. */
  get env(): Readonly<Record<string, string>> {
    return { PLUMB_MCP_TOOLS: this.#file.path }
  }

  /** Calls `listener` at each change from now on. */
  onChange(listener: (offers: readonly OfferedTool[]) => void): void {
    this.#listener = listener
  }

  remove(): void {
    this.#forget()
    this.#file.remove()
  }
}
