// For embedding programs: a session with few grants, and a call with values instead of text.

import type { Json } from '@plumb/lang'
import {
  type CallOptions,
  type ConnectOptions,
  connectMcp as connect,
  type McpAnswer,
  type McpConnection,
  type ServerConfig,
  ServerPool,
} from '@plumb/mcp-client'
import { bundledFiles, map, nowMs, type Result } from '@plumb/wire'
import type { Session } from './call/call.js'
import { type CallStart, type Performed, perform as performText } from './call/perform.js'
import type { Tool } from './call/tool.js'
import type { JsonText } from './json-text.js'

/**
 * What calls share: what is allowed, who is asked, where files are. Defaults: the working directory; the declared effects of tools except
 * net.private; no approvals; no telemetry. If MCP servers are called, `session.servers.close()` ends them.
 */
export const makeSession = (parts: Partial<Session> = {}): Session => ({
  docroot: process.cwd(),
  files: bundledFiles({ entry: '', files: {}, modules: {} }),
  authority: () => ({ policy: [], context: {} }),
  approve: async () => false,
  onCall: undefined,
  agentOptions: [],
  agentProgram: undefined,
  caller: undefined,
  servers: new ServerPool({ cwd: parts.docroot ?? process.cwd(), note: () => {} }),
  nowMs,
  ...parts,
})

export interface HostCall {
  /** One for all calls that share a cache, an authority and a trace; default: one for all calls without. */
  readonly session?: Session
  readonly signal?: AbortSignal
}

/** One call, with values instead of text. Numbers that JavaScript cannot hold lose digits here; `perform` takes and returns text. */
export const callTool = async (
  tool: Tool,
  input: Json,
  { session = ownSession(), signal = new AbortController().signal }: HostCall = {},
): Promise<Result<Json>> => {
  const { result } = await performText(tool, JSON.stringify(input), { session, signal })
  return map(result, (json) => JSON.parse(json) as Json)
}

/** One call and its envelope, with text, in which numbers keep their digits; an input that is not a text becomes one. */
export const perform = (
  tool: Tool,
  input: JsonText | Exclude<Json, string>,
  { session = ownSession(), signal = new AbortController().signal, ...others }: Partial<CallStart> = {},
): Promise<Performed> => performText(tool, typeof input === 'string' ? input : JSON.stringify(input), { session, signal, ...others })

let own: Session | undefined
const ownSession = (): Session => {
  own ??= makeSession()
  return own
}

/** A server of MCP that answers: its tools, and calls of them. */
export interface HostConnection extends McpConnection {
  /** As `call`, with a value instead of text. */
  callTool(name: string, input?: Json, options?: CallOptions): Promise<Result<McpAnswer>>
}

/** A connection to a server of MCP. Nothing that can be expected throws. */
export const connectMcp = async (config: ServerConfig, options: ConnectOptions = {}): Promise<Result<HostConnection>> =>
  map(await connect(config, options), (connection) =>
    Object.assign(connection, {
      callTool: (name: string, input: Json = {}, how?: CallOptions) => connection.call(name, JSON.stringify(input), how),
    }),
  )
