// tool { mcp: …, name: "…" }: one tool of a server under the types that the spec declares. The server is connected at its first call.

import { type Fit, type Json, resolve as resolveType, type ToolPlan, type Type } from '@plumb/lang'
import { describeServer, hostsOf, type McpConnection, type McpTool, readServer, sandboxOf } from '@plumb/mcp-client'
import { fail, map, nearest, preview, type Result, succeed } from '@plumb/wire'
import type { Call } from '../../call/call.js'
import type { TargetsOf } from '../../call/targets.js'
import { noteFit } from '../../call/validate.js'
import type { Run } from '../../combine/run.js'
import type { JsonText } from '../../json-text.js'
import { maxOutputOf } from './cut-content.js'
import { toValue } from './result.js'
import { callServer, fitServerInput, outputLimitOf } from './server-call.js'

export interface ServerToolRun {
  readonly run: Run
  readonly targetsOf: TargetsOf
}

export const serverTool = (
  { name, input, output, specPath }: ToolPlan,
  config: { readonly [key: string]: Json },
  docroot: string,
): Result<ServerToolRun> => {
  const server = readServer(config.mcp, specPath)
  const sandbox = sandboxOf(server, docroot)
  if (!sandbox.ok) return sandbox
  const wanted = String(config.name)
  const timeoutMs = ((config.timeout as number | undefined) ?? server.timeout ?? DEFAULT_TIMEOUT) * 1000
  const hosts = hostsOf(server)
  const maxOutput = maxOutputOf(server, config.max_output)

  const run: Run = async (text, call) => {
    const connection = await connected(call.session.servers.connect(server), call)
    if (!connection.ok) return connection
    const found = await findTool(connection.value, wanted, describeServer(server))
    if (!found.ok) return found
    const fit = await fitTo(found.value, toArguments(text, input), name, connection.value)
    if (!fit.ok || fit.value.repairs.length > 0) noteFit(call, fit)
    if (!fit.ok) return fit
    const { tool, json } = fit.value
    const answer = await callServer({ name, connection: connection.value, tool, timeoutMs }, json, call)
    return answer.ok ? toValue(name, answer.value, output, outputLimitOf(call, maxOutput)) : answer
  }
  return succeed({ run, targetsOf: async () => ({ written: [], ...(hosts.length === 0 ? {} : { hosts }) }) })
}

// A cached schema is enough for an input that it accepts unchanged; everything else needs the server's own.
const fitTo = async (
  tool: McpTool,
  args: JsonText,
  name: string,
  connection: McpConnection,
): Promise<Result<Fit & { readonly tool: McpTool }>> => {
  const fit = fitServerInput(name, tool, args)
  if (connection.isListed || (fit.ok && fit.value.json === args)) return map(fit, (fit) => ({ ...fit, tool }))
  const listed = await connection.listedTools()
  const now = (listed.ok && listed.value.find((other) => other.name === tool.name)) || tool
  return map(fitServerInput(name, now, args), (fit) => ({ ...fit, tool: now }))
}

/** By name, as a model sees them: a type that is not a record becomes the field `input`. */
const toArguments = (text: JsonText, type: Type): JsonText => {
  if (resolveType(type).kind === 'unit') return '{}'
  return text.trimStart().startsWith('{') ? text : `{"input":${text}}`
}

/** Seconds. */
const DEFAULT_TIMEOUT = 60

// Others may wait for the same server: its start continues.
const connected = (opening: Promise<Result<McpConnection>>, { signal }: Call): Promise<Result<McpConnection>> =>
  new Promise((resolve) => {
    const leave = () => resolve(fail('cancelled', 'the call was cancelled before its server was ready'))
    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    void opening.then((result) => {
      signal.removeEventListener('abort', leave)
      resolve(result)
    })
  })

const findTool = async (connection: McpConnection, wanted: string, server: string): Promise<Result<McpTool>> => {
  const tools = await connection.tools([wanted])
  if (!tools.ok) return tools
  const tool = tools.value.find(({ name }) => name === wanted)
  return tool ? { ok: true, value: tool } : fail('unknown_tool', `MCP server ${server} has no tool ${describeMissing(wanted, tools.value)}`)
}

/** `'serch', did you mean 'search'?` */
export const describeMissing = (wanted: string, tools: readonly Pick<McpTool, 'name'>[]): string => {
  const names = tools.map(({ name }) => name)
  const near = nearest(wanted, names)
  const others = names.length === 0 ? 'it has none' : `it has ${preview(names.join(', '), 200)}`
  return `'${preview(wanted)}', ${near === undefined ? others : `did you mean '${preview(near)}'?`}`
}
