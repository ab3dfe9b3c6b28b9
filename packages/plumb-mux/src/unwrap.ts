// A command with envelopes inside, real descriptors outside.

import { type Fault, FDS, type FdName, fault, type LineSink, type LineSource, type Result, spawnChild, succeed } from '@plumb/wire'
import { Demultiplexer } from './demultiplexer.js'
import { Multiplexer } from './multiplexer.js'
import { ALL_FDS, fdPortsOf } from './port.js'
import { copyEnvironment, lineLimits, type MuxOptions, type MuxSession, openMuxSession } from './session.js'

/** The streams of each port. */
export interface UnwrapOptions extends MuxOptions {
  /** Plain lines for the command, by port; `input` at least. */
  readonly inputs: ReadonlyMap<FdName, LineSource>
  /** Where the lines of the command go, by port; `output` at least. Those of ports that are missing here are dropped. */
  readonly outputs: ReadonlyMap<FdName, LineSink>
}

/**
 * Runs a command that speaks envelopes on its stdin and stdout, and gives each port a stream of its own, with the messages as they are. Its
 * stderr is that of this process.
 */
export const unwrap = (options: UnwrapOptions): Result<MuxSession> => {
  const { command, cwd, env = copyEnvironment(), inputs, outputs, tee, onFault } = options
  const started = spawnChild({ command, env, isForeign: true, inheritsStderr: true, ...(cwd === undefined ? {} : { cwd }) })
  if (!started.ok) return started
  const { stdin, stdout } = started.value
  const { message, envelope } = lineLimits(options)

  const multiplexer = new Multiplexer({
    inputs,
    output: stdin,
    maxLine: message,
    direction: 'in',
    tee,
    report: onFault,
    onPortEnd: (port) => multiplexer.sendEof(port),
    onOutputFault: onFault,
  })

  const dropped = new Set<string>()
  const demultiplexer = new Demultiplexer({
    input: stdout,
    outputs: new Map(fdPortsOf('out', ALL_FDS).map((port) => [port as string, outputs.get(port) ?? null])),
    maxLine: message,
    maxEnvelope: envelope,
    direction: 'out',
    tee,
    report: onFault,
    hasEndedWell: started.value.ended.then(({ status }) => status === 0),
    onDropped: (port) => {
      if (port !== 'tool_req' || dropped.has(port)) return
      dropped.add(port)
      onFault(TOOLS_UNAVAILABLE)
      if (!inputs.has('tool_resp')) multiplexer.sendEof('tool_resp')
    },
    onOutputClosed: (port) => {
      if (port === 'output') session.hangUp()
    },
    onOutputFault: (error, port) => onFault({ ...error, port }),
  })
  const session = openMuxSession(started.value, multiplexer, demultiplexer)
  return succeed(session)
}

// Telemetry and control replies may be dropped silently; for the answer to a tool call the command would wait.
const TOOLS_UNAVAILABLE: Fault = fault(
  'unknown_port',
  `the command asks for tools on 'tool_req', and nothing answers them: open descriptors ` +
    `${FDS.tool_req} and ${FDS.tool_resp}, or keep them from it (--fds 3,6,7)`,
  { port: 'tool_req' },
)
