// The tools of all servers of an agent under one name each; what cannot have one, or would take another's, is left out with a word.

import { type Fault, fault, guardSchema, preview } from '@plumb/wire'
import type { McpConnection, McpTool, ServerConfig } from '../../mcp-client/connection.js'
import { describeServer } from '../../mcp-client/server.js'
import { doubleUnderscored } from './prefix.js'

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
      const problem = schemaProblem(name, tool) ?? nameProblem(name, declared, named)
      if (problem) warn(fault(problem.code, `a tool of MCP server ${describeServer(config)} is left out: ${problem.words}`))
      else named.set(name, { config, connection, tool })
    }
  }
  return named
}

interface Problem {
  readonly code: 'bad_reply' | 'duplicate_name'
  readonly words: string
}

// A provider would refuse every question that offers it.
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
