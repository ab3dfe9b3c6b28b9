// Inspects one server: connects, sends the request, and disconnects.

import { connectMcp } from '@plumb/tool/internal'
import { dieOf, escapeLines, type Fault, LineWriter, onStop, openOutput, Reporter, type StopSignal } from '@plumb/wire'
import { call } from './call.js'
import type { Inspection, InspectRequest, InspectVerb, InspectVerbName } from './inspection.js'
import { cachedTools, prompts, resources, tools } from './offers.js'

const VERBS: Readonly<Record<InspectVerbName, InspectVerb>> = { tools, call, prompts, resources }

/** Resolves to the exit status. */
export const inspect = async (asked: InspectRequest, program: string): Promise<number> => {
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
  const writer = new LineWriter(openOutput(1), {
    onClosed: () => stop.abort(),
    onFault: (error) => {
      reporter.report(error)
      stop.abort()
    },
  })
  const report = (error: Fault): void => {
    if (!stop.signal.aborted) reporter.report(error)
  }
  // Of JSON the value stays.
  const write = (json: string): void => writer.writeText(escapeLines(json))
  const note = (warning: Fault): void => reporter.warn(warning)
  await ask(asked, { signal: stop.signal, write, report, note, writeLine: (line) => reporter.write(line), program })
  await writer.end()
  await reporter.end()
  forget()
  if (stoppedBy) dieOf(stoppedBy)
  return reporter.status
}

interface Outlets extends Pick<Inspection, 'signal' | 'write' | 'report'> {
  readonly note: (warning: Fault) => void
  readonly writeLine: (line: string) => void
  readonly program: string
}

const ask = async (asked: InspectRequest, { signal, write, report, note, writeLine, program }: Outlets): Promise<void> => {
  const { config, isVerbose } = asked
  // Without --cache-ttl the server itself is asked.
  const cached = asked.verb === 'tools' && config.cache_ttl !== undefined ? await cachedTools(config) : undefined
  if (cached) return cached.forEach(write)
  const onStderr = isVerbose ? { onStderr: writeLine } : {}
  // A command line of the user needs no check.
  const opened = await connectMcp({ ...config, sandbox: false }, { clientName: program, note, signal, ...onStderr })
  if (!opened.ok) return report(opened.error)
  const connection = opened.value
  try {
    await VERBS[asked.verb]({ asked, connection, isVerbose, signal, write, report })
  } finally {
    await connection.disconnect()
  }
}
