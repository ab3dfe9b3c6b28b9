// What the MCP servers of an agent offer, as a separate plumb-agent gets to know it: in a file here, in messages elsewhere (plumb-tools(7),
// MCP servers).

import type { AgentServers, OfferedTool, ToolsFile } from '@plumb/tool'
import type { Fault } from '@plumb/wire'

export class ServerOffers {
  readonly #servers: AgentServers
  readonly #file: ToolsFile
  readonly #forget: () => void
  #tell: ((offers: readonly OfferedTool[]) => void) | undefined

  constructor(servers: AgentServers, file: ToolsFile, report: (fault: Fault) => void) {
    this.#servers = servers
    this.#file = file
    this.#forget = servers.onChange(() => {
      const written = file.write(servers.offers())
      if (!written.ok) report(written.error)
      this.#tell?.(servers.offers())
    })
  }

  get now(): readonly OfferedTool[] {
    return this.#servers.offers()
  }

  /** For the agent alone. */
  get env(): Readonly<Record<string, string>> {
    return { PLUMB_MCP_TOOLS: this.#file.path }
  }

  /** `tell` hears of each change from now on. */
  onChange(tell: (offers: readonly OfferedTool[]) => void): void {
    this.#tell = tell
  }

  remove(): void {
    this.#forget()
    this.#file.remove()
  }
}
