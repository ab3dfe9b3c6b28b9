// One call of a server's tool: its input held against the server's own schema, its progress noted.

import { compileSchema, fail, type Result, type SchemaCheck } from '@plumb/wire'
import type { Call } from '../../call/call.js'
import { note, plural, showMs } from '../../call/note.js'
import type { JsonText } from '../../tool.js'
import type { McpAnswer, McpConnection, McpTool, Progress } from './connection.js'

export interface ServerCall {
  /** As the caller knows it. */
  readonly name: string
  readonly connection: McpConnection
  readonly tool: McpTool
  readonly timeoutMs: number
}

export const callServer = async (
  { name, connection, tool, timeoutMs }: ServerCall,
  input: JsonText,
  call: Call,
): Promise<Result<McpAnswer>> => {
  note(call, 'timeout', `${showMs(timeoutMs)} at most`)
  let reports = 0
  let last: Progress | undefined
  const onProgress = (progress: Progress): void => {
    reports++
    last = progress
  }
  const answer = await connection.call(tool.name, input, { signal: call.signal, timeoutMs, onProgress })
  // However many there were: a server may send no end of them.
  if (last) note(call, 'run', `${plural(reports, 'report')} of progress, the last ${showProgress(last)}`)
  if (answer.ok) return answer
  return { ok: false, error: { ...answer.error, tool: name } }
}

const showProgress = ({ progress, total }: Progress): string => (total === undefined ? `${progress}` : `${progress} of ${total}`)

const checks = new WeakMap<McpTool, Result<SchemaCheck>>()

/** What keeps the input from being one that the server's schema accepts. */
export const misfit = (name: string, tool: McpTool, input: JsonText): Result<never> | undefined => {
  const check = checks.get(tool) ?? compileSchema(tool.inputSchema)
  checks.set(tool, check)
  if (!check.ok) return fail(check.error.error, `tool '${name}': ${check.error.detail}`)
  const value: unknown = JSON.parse(input)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return fail('input_type_mismatch', `the input of '${name}' is an object of named arguments, as in {"name": …}`)
  }
  const flaws = check.value(value)
  if (flaws.length === 0) return undefined
  const listed = flaws.map(({ path, detail }) => (path === '' ? detail : `${path} ${detail}`)).join('; ')
  return fail('input_type_mismatch', `the input of '${name}' does not fit the schema of its server: ${listed}`)
}
