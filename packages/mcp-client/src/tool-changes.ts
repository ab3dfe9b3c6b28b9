// Detects changes of a server's tools under the same name, and warns of them: a person, and a model, have agreed to the earlier ones.

import { canonicalJson, type Fault, fault, sha256Of } from '@plumb/wire'
import type { McpTool } from './connection.js'

const PARTS = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const

type Prints = Readonly<Record<(typeof PARTS)[number], string>>

export interface ToolChanges {
  /** Compares with the list before, and stores this one. */
  readonly findChanges: (tools: readonly McpTool[]) => readonly Fault[]
}

export const watchTools = (server: string): ToolChanges => {
  const seen = new Map<string, Prints>()
  return {
    findChanges: (tools) =>
      tools.flatMap((tool) => {
        const [before, now] = [seen.get(tool.name), printsOf(tool)]
        seen.set(tool.name, now)
        const changed = before ? PARTS.filter((part) => before[part] !== now[part]) : []
        if (changed.length === 0) return []
        const names = changed.map((part) => NAMES[part]).join(', ')
        return [
          fault('tool_changed', `MCP server '${server}' has changed its tool '${tool.name}' since it was first listed: ${names}`, {
            server,
            tool: tool.name,
          }),
        ]
      }),
  }
}

const NAMES: Readonly<Record<(typeof PARTS)[number], string>> = {
  title: 'title',
  description: 'description',
  inputSchema: 'input schema',
  outputSchema: 'output schema',
  annotations: 'annotations',
}

const printsOf = (tool: McpTool): Prints =>
  Object.fromEntries(PARTS.map((part) => [part, sha256Of(canonicalJson(JSON.stringify(tool[part] ?? null)))])) as unknown as Prints
