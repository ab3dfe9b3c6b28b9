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
  await look(asked, { signal: stop.signal, write, report, note: (warning) => reporter.warn(warning), program })
  await writer.end()
  await reporter.end()
  forget()
  if (stoppedBy) dieOf(stoppedBy)
  return reporter.status
}

interface Outlets extends Pick<Look, 'signal' | 'write' | 'report'> {
  readonly note: (warning: Fault) => void
  readonly program: string
}

const look = async (asked: Asked, { signal, write, report, note, program }: Outlets): Promise<void> => {
  const kept = asked.verb === 'tools' ? await keptTools(asked.config) : undefined
  if (kept) return kept.forEach(write)
  // Whoever types the address of a server means it, wherever it is.
  // Only the list itself may be what it was a while ago.
  const config = asked.verb === 'tools' ? asked.config : { ...asked.config, cache_ttl: 0 }
  const opened = await connectMcp(config, { clientName: program, note, signal, allowsPrivateNet: true })
  if (!opened.ok) return report(opened.error)
  const connection = opened.value
  try {
    await VERBS[asked.verb]({ asked, connection, signal, write, report })
  } finally {
    await connection.disconnect()
  }
}
