// plumb-mcp tools: what a server offers to models, as plumb-tool shows tools of ours.

import { type McpTool, openCatalogue, type ServerConfig } from '@plumb/tool'
import type { Verb } from './inspect.js'

export const tools: Verb = async ({ connection, write, report }) => {
  const listed = await connection.listedTools()
  if (!listed.ok) return report(listed.error)
  for (const tool of listed.value) write(line(tool))
}

/** As they were when somebody last asked; undefined: it is too long ago. */
export const keptTools = async (config: ServerConfig): Promise<readonly string[] | undefined> =>
  (await openCatalogue(config).read())?.map(line)

const line = ({ name, title, description, inputSchema, outputSchema, annotations }: McpTool): string =>
  JSON.stringify({ name, title, description, input_schema: inputSchema, output_schema: outputSchema, annotations })
