// A server whose tools are used like those of a spec: by the types that are nearest to their schemas.

import { type Json, resolve, type Type } from '@plumb/lang'
import { describeServer, type McpConnection, type McpTool, readServer, type ServerConfig, sandboxOf } from '@plumb/mcp-client'
import { type Fault, fault, isRecord as isObject, preview, type Result, succeed } from '@plumb/wire'
import type { Session } from '../../call/call.js'
import { fitOutput } from '../../call/fit.js'
import type { Tool } from '../../call/tool.js'
import { typeOfSchema } from '../../call/type-of-schema.js'
import type { JsonText } from '../../json-text.js'
import { maxOutputOf } from './cut-content.js'
import { secureServerTool } from './offered-tool.js'
import { mayStart, missingFault, selectTools } from './open-server.js'
import { toValue } from './result.js'
import { callServer, outputLimitOf } from './server-call.js'

export interface TypedServerTool {
  /** The server's name for it. */
  readonly name: string
  readonly description: string
  readonly input: Type
  readonly output: Type
  readonly inputSchema: Json
  readonly outputSchema?: Json
  /** With all stages of a call; messages call it `name`. */
  readonly as: (name: string) => Tool
}

export interface TypedServer {
  /** The current tools, without those that run only as tasks. */
  readonly tools: readonly TypedServerTool[]
}

/** `value` has been checked by lang. Starts or connects to it, and requests its tools; `changed` is called when they change. */
export const openTypedServer = async (
  value: Json,
  specPath: string,
  session: Session,
  changed: () => void,
): Promise<Result<TypedServer>> => {
  const config = readServer(value, specPath)
  const denied = mayStart(config, session.authority(), Date.now())
  if (denied) return { ok: false, error: denied }
  const sandbox = sandboxOf(config, session.docroot)
  if (!sandbox.ok) return sandbox
  let refresh = (): void => {}
  const connection = await session.servers.connect(config, () => refresh())
  if (!connection.ok) return connection
  const listed = await connection.value.listedTools()
  if (!listed.ok) return listed
  const missing = missingFault(listed.value, config)
  if (missing) return { ok: false, error: missing }
  const typed = (tools: readonly McpTool[]): readonly TypedServerTool[] =>
    selectTools(tools, config).flatMap((tool) => (tool.needsTask ? [] : [typedTool(tool, config, connection.value)]))
  const server = { tools: typed(listed.value) }
  refresh = () => {
    void connection.value.listedTools().then((tools) => {
      if (!tools.ok) return session.servers.isClosed ? undefined : session.servers.warn(tools.error)
      server.tools = typed(tools.value)
      changed()
    })
  }
  return succeed(server)
}

/** Why a server is missing, for callers of its tools. */
export const describeAbsence = (value: Json, specPath: string, error: Fault): Fault =>
  fault(error.error, `MCP server ${describeServer(readServer(value, specPath))} cannot be used: ${preview(error.detail, 400)}`)

export const typedTool = (tool: McpTool, config: ServerConfig, connection: McpConnection): TypedServerTool => {
  const { name, title, description = title ?? '', inputSchema, outputSchema } = tool
  const input = typeOf(inputSchema)
  const output = outputSchema === undefined ? ANYTHING : typeOf(outputSchema)
  return {
    name,
    description,
    input,
    output,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    as: (called) =>
      secureServerTool({ config, connection, tool }, { name: called, input, output }, async (json, call, timeoutMs) => {
        const answer = await callServer({ name: called, connection, tool, timeoutMs }, json, call)
        if (!answer.ok) return answer
        const value = toValue(called, answer.value, output, outputLimitOf(call, maxOutputOf(config)))
        return value.ok ? succeed(withoutUnknown(value.value, output)) : value
      }),
  }
}

const ANYTHING: Type = { kind: 'json' }

const typeOf = (schema: Json): Type => (isObject(schema) ? typeOfSchema(schema) : ANYTHING)

// A schema leaves its objects open, a record has only its fields: properties that the schema does not list are left out.
const withoutUnknown = (json: JsonText, type: Type): JsonText =>
  fitOutput(json, type).ok ? json : JSON.stringify(known(JSON.parse(json) as Json, type))

const known = (value: Json, type: Type): Json => {
  const of = resolve(type)
  if (Array.isArray(value)) return of.kind === 'array' ? value.map((item) => known(item, of.item)) : value
  if (!isObject(value)) return value
  const entries = Object.entries(value) as [string, Json][]
  if (of.kind === 'map') return Object.fromEntries(entries.map(([key, item]) => [key, known(item, of.item)]))
  if (of.kind !== 'record') return value
  const fields = new Map(of.fields.map((field) => [field.name, field.type]))
  return Object.fromEntries(entries.flatMap(([key, item]) => (fields.has(key) ? [[key, known(item, fields.get(key) as Type)]] : [])))
}
