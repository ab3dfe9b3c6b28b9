// Whether a server may be started, or reached, at all: some call of one of its tools could be permitted.

import type { Authority } from '@plumb/policy'
import { permit } from '@plumb/policy'
import { type Fault, fault } from '@plumb/wire'
import type { ServerConfig } from '../../mcp-client/connection.js'
import { describeServer, effectOf, hostsOf } from '../../mcp-client/server.js'

/** Why not; undefined: it may. Its tools are not known yet, so that each that a rule names may be one of them. */
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
