// Unique names for the tools of all servers of an agent; a tool whose name is invalid or taken is left out with a warning.

import { basename } from 'node:path'
import { describeServer, type McpConnection, type McpTool, type ServerConfig } from '@plumb/mcp-client'
import { type Fault, fault, guardSchema, preview } from '@plumb/wire'

export interface NamedTool {
  readonly config: ServerConfig
  readonly connection: McpConnection
  readonly tool: McpTool
}

export interface ServerWithTools {
  readonly config: ServerConfig
  readonly connection: McpConnection
  readonly prefix: string
  readonly tools: readonly McpTool[]
}

export const nameTools = (
  servers: readonly ServerWithTools[],
  declared: readonly string[],
  warn: (warning: Fault) => void,
): ReadonlyMap<string, NamedTool> => {
  const named = new Map<string, NamedTool>()
  for (const { config, connection, prefix, tools } of servers) {
    for (const tool of tools) {
      const name = `${prefix}:${tool.name}`
      const problem = taskProblem(name, tool) ?? schemaProblem(name, tool) ?? nameProblem(name, declared, named)
      if (problem) warn(fault(problem.code, `a tool of MCP server ${describeServer(config)} is left out: ${problem.words}`))
      else named.set(name, { config, connection, tool })
    }
  }
  return named
}

interface Problem {
  readonly code: 'bad_reply' | 'duplicate_name' | 'cannot_run'
  readonly words: string
}

const taskProblem = (name: string, { needsTask }: McpTool): Problem | undefined =>
  needsTask && { code: 'cannot_run', words: `'${preview(name)}' runs as a task alone, and tasks are not offered` }

// A provider would refuse every request that offers it.
const schemaProblem = (name: string, { inputSchema }: McpTool): Problem | undefined => {
  const guarded = guardSchema(inputSchema)
  return guarded.ok ? undefined : { code: 'bad_reply', words: `of '${preview(name)}', ${guarded.error.detail}` }
}

const nameProblem = (name: string, declared: readonly string[], named: ReadonlyMap<string, NamedTool>): Problem | undefined => {
  const winner = [name, doubleUnderscored(name)].find((other) => declared.includes(other))
  if (winner !== undefined) return { code: 'duplicate_name', words: `'${preview(name)}' has the name of the agent's own tool '${winner}'` }
  if (!named.has(name)) return undefined
  return { code: 'duplicate_name', words: `another tool is named '${preview(name)}' already; give one of their servers another 'prefix'` }
}

/** The part before the colon in its tools' names: its own name, else what the server calls itself, else its command or host. */
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

/** The form for providers that refuse colons. */
const doubleUnderscored = (name: string): string => name.replace(':', '__')
