// What stands before the colon in the name of a server's tool (plumb-tools(7), MCP servers).

import { basename } from 'node:path'
import type { ServerConfig } from '../../mcp-client/connection.js'

/** Its own, else what the server calls itself, else its command or host. */
export const prefixOf = ({ prefix, command, url }: ServerConfig, serverName: string): string => {
  if (prefix !== undefined) return prefix
  const place = command === undefined ? new URL(url ?? '').hostname : basename(command)
  return cleaned(serverName) || cleaned(place) || 'mcp'
}

// Names are split at the first colon, and written on one line.
const cleaned = (name: string): string =>
  name
    .trim()
    .replaceAll(/[^\w.-]+/g, '_')
    .slice(0, 64)

/** As the providers write it that refuse colons. */
export const doubleUnderscored = (name: string): string => name.replace(':', '__')
