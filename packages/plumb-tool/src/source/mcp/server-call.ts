// One call of a server's tool: checks its input against the server's own schema, and notes its progress.

import type { Fit } from '@plumb/lang'
import type { McpAnswer, McpConnection, McpTool, Progress } from '@plumb/mcp-client'
import { fail, type Result } from '@plumb/wire'
import type { Call } from '../../call/call.js'
import { type FitSchema, openFitSchema } from '../../call/fit-schema.js'
import { note, plural, showMs } from '../../call/note.js'
import type { JsonText } from '../../json-text.js'
import type { OutputLimit } from './result.js'

export interface ServerCall {
  /** The name that the caller uses. */
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
  const { signal, traceparent, record } = call
  const { protocol, place } = connection
  const onSent = (id: string): void => {
    record.mcp = { protocol, ...place, id }
  }
  const traced = traceparent === undefined ? {} : { meta: { traceparent } }
  const answer = await connection.call(tool.name, input, { signal, timeoutMs, onProgress, onSent, ...traced })
  // Bounded: a server may send any number of them.
  if (last) note(call, 'run', `${plural(reports, 'report')} of progress, the last ${showProgress(last)}`)
  if (answer.ok) return answer
  return { ok: false, error: { ...answer.error, tool: name } }
}

const showProgress = ({ progress, total }: Progress): string => (total === undefined ? `${progress}` : `${progress} of ${total}`)

/** What is left out of an answer is reported with the call. */
export const outputLimitOf = (call: Call, maxOutput: number): OutputLimit => ({
  maxOutput,
  onCut: (bytes) => {
    call.record.truncated = true
    note(call, 'output', `cut by ${plural(bytes, 'byte')}`)
  },
})

const fits = new WeakMap<McpTool, Result<FitSchema>>()

/** The input with the defaults of the server's schema, repaired if nothing is lost; or why the schema does not accept it. */
export const fitServerInput = (name: string, tool: McpTool, input: JsonText): Result<Fit> => {
  const fit = fits.get(tool) ?? openFitSchema(tool.inputSchema)
  fits.set(tool, fit)
  return fit.ok ? fit.value(name, input) : fail(fit.error.error, `tool '${name}': ${fit.error.detail}`)
}
