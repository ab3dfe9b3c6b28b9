// One look at one server: connected, asked, left again.

import { connectMcp, type McpConnection } from '@plumb/tool'
import { dieOf, type Fault, LineWriter, onStop, openOutput, Reporter, type StopSignal } from '@plumb/wire'
import type { Asked, VerbName } from './asked.js'
import { call } from './call.js'
import { prompts } from './prompts.js'
import { resources } from './resources.js'
import { keptTools, tools } from './tools.js'

export interface Look {
  readonly asked: Asked
  readonly connection: McpConnection
  readonly isVerbose: boolean
  /** Fires when the answer is not wanted any more. */
  readonly signal: AbortSignal
  /** One JSON value, on a line. */
  readonly write: (json: string) => void
  readonly report: (error: Fault) => void
}

/** Resolves when everything has been written and the server is gone. */
export type Verb = (look: Look) => Promise<void>

const VERBS: Readonly<Record<VerbName, Verb>> = { tools, call, prompts, resources }

/** Resolves to the exit status. */
export const inspect = async (asked: Asked, program: string): Promise<number> => {
  const reporter = new Reporter(program)
  const stop = new AbortController()
  let stoppedBy: StopSignal | undefined
  const forget = onStop(
    (signal) => {
      stoppedBy = signal
      stop.abort()
    },
    () => {},
  )
  const writer = new LineWriter(openOutput(1))
  writer.onClosed = () => stop.abort()
  writer.onFault = (error) => {
    reporter.report(error)
    stop.abort()
  }
  const report = (error: Fault): void => {
    if (!stop.signal.aborted) reporter.report(error)
  }
  const write = (json: string): void => writer.writeText(json)
  const note = (warning: Fault): void => reporter.warn(warning)
  await look(asked, { signal: stop.signal, write, report, note, tellLine: (line) => reporter.write(line), program })
  await writer.end()
  await reporter.end()
  forget()
  if (stoppedBy) dieOf(stoppedBy)
  return reporter.status
}

interface Outlets extends Pick<Look, 'signal' | 'write' | 'report'> {
  readonly note: (warning: Fault) => void
  readonly tellLine: (line: string) => void
  readonly program: string
}

const look = async (asked: Asked, { signal, write, report, note, tellLine, program }: Outlets): Promise<void> => {
  const { config, isVerbose } = asked
  // Who looks at a server wants to see what it has now, unless a time is named.
  const kept = asked.verb === 'tools' && config.cache_ttl !== undefined ? await keptTools(config) : undefined
  if (kept) return kept.forEach(write)
  const onStderr = isVerbose ? { onStderr: tellLine } : {}
  const opened = await connectMcp(config, { clientName: program, note, signal, ...onStderr })
  if (!opened.ok) return report(opened.error)
  const connection = opened.value
  try {
    await VERBS[asked.verb]({ asked, connection, isVerbose, signal, write, report })
  } finally {
    await connection.disconnect()
  }
}
