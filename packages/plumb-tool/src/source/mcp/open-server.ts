// Opens one server of an agent at its spawn: it is open, left out with a warning, or required and missing.

import { describeServer, effectOf, hostsOf, type McpConnection, type McpTool, type ServerConfig, sandboxOf } from '@plumb/mcp-client'
import { type Authority, permit } from '@plumb/policy'
import { type Fault, fault } from '@plumb/wire'
import type { Session } from '../../call/call.js'
import { prefixOf } from './name-tools.js'
import { describeMissing } from './tool-of-server.js'

export interface OpenServer {
  readonly config: ServerConfig
  readonly connection: McpConnection
  readonly prefix: string
  tools: readonly McpTool[]
  /** Called for each change of its tools, and for an earlier one. */
  readonly onToolsChanged: (listener: () => void) => void
}

export type OpenedServer =
  | { readonly kind: 'open'; readonly server: OpenServer }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'refused'; readonly fault: Fault }

/** Starts or connects to it, and requests its tools. */
export const openServer = async (config: ServerConfig, { servers, authority, docroot }: Session): Promise<OpenedServer> => {
  const denied = mayStart(config, authority(), Date.now())
  if (denied) {
    servers.warn(denied)
    return { kind: 'skipped' }
  }
  // With a sandbox, continuing without the server would hide the problem.
  const sandbox = sandboxOf(config, docroot)
  if (!sandbox.ok) return { kind: 'refused', fault: sandbox.error }
  let isStale = false
  let onChanged = () => {
    isStale = true
  }
  const connection = await servers.connect(config, () => onChanged())
  if (!connection.ok) return unavailable(config, connection.error, servers)
  // The list of wanted tools is compared with the current ones.
  const tools = await (config.tools ? connection.value.listedTools() : connection.value.tools())
  if (!tools.ok) return unavailable(config, tools.error, servers)
  const missing = missingFault(tools.value, config)
  if (missing) return { kind: 'refused', fault: missing }
  const server: OpenServer = {
    config,
    connection: connection.value,
    prefix: prefixOf(config, connection.value.server.name),
    tools: selectTools(tools.value, config),
    onToolsChanged: (listener) => {
      onChanged = listener
      if (isStale) listener()
    },
  }
  return { kind: 'open', server }
}

/** Names on its list of wanted tools. */
export const missingFault = (tools: readonly McpTool[], config: ServerConfig): Fault | undefined => {
  const missing = (config.tools ?? []).filter((wanted) => !tools.some(({ name }) => name === wanted))
  if (missing.length === 0) return undefined
  const words = missing.map((wanted) => describeMissing(wanted, tools)).join('; ')
  return fault('not_a_tool', `'tools' of MCP server ${describeServer(config)} lists what it has not: ${words}`)
}

// Without its tools an agent is less useful; without required ones, useless.
const unavailable = ({ tools }: ServerConfig, error: Fault, servers: Session['servers']): OpenedServer => {
  if (tools) return { kind: 'refused', fault: fault('config_invalid', `its tools are needed (${tools.join(', ')}), and ${error.detail}`) }
  servers.warn({ ...error, detail: `${error.detail}; its tools are left out` })
  return { kind: 'skipped' }
}

/** Those on its list of wanted tools. */
export const selectTools = (tools: readonly McpTool[], config: ServerConfig): readonly McpTool[] =>
  config.tools ? tools.filter(({ name }) => config.tools?.includes(name)) : tools

/**
 * Why a server may not be started or connected to: no call of its tools could be permitted. Undefined: it may. Its tools are unknown yet,
 * so each name in a rule may be one of them.
 */
export const mayStart = (config: ServerConfig, authority: Authority, now: number): Fault | undefined => {
  const hosts = hostsOf(config)
  const effects = [effectOf(config)]
  const possible = ['', ...authority.policy.flatMap(({ tool }) => (tool === undefined ? [] : [tool]))]
  const permissions = possible.map((tool) => permit({ tool, effects, ...(hosts.length === 0 ? {} : { hosts }) }, authority, now))
  if (permissions.some(({ kind }) => kind !== 'deny')) return undefined
  const [first] = permissions
  const why = first?.kind === 'deny' ? first.fault.detail.replace(/^tool '' has the effect/, 'it has the effect') : ''
  return fault('permission_denied', `MCP server ${describeServer(config)} is left out: ${why}`)
}
