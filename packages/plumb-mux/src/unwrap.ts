// A command with envelopes inside, real descriptors outside.

import { type Fault, FDS, fault, LineReader, type LineSink, type LineSource, type Port, type Result, spawnLines } from '@plumb/wire'
import { Gather } from './gather.js'
import { Lane } from './lane.js'
import { ALL_FDS, portsOf } from './port.js'
import { Scatter } from './scatter.js'
import { limits, type MuxOptions, openSession, ownEnvironment, type Session } from './session.js'

export interface UnwrapOptions extends MuxOptions {
  /** Plain lines for the command, by port; `input` at least. */
  readonly inputs: ReadonlyMap<Port, LineSource>
  /** Where the lines of the command go, by port; `output` at least. Those that are not here are dropped. */
  readonly outputs: ReadonlyMap<Port, LineSink>
}

/**
 * Runs a command that speaks envelopes on its stdin and stdout, and gives each port a stream of its own, with the messages as they are. Its
 * stderr is that of this process.
 */
export const unwrap = (options: UnwrapOptions): Result<Session> => {
  const { command, cwd, env = ownEnvironment(), inputs, outputs, tee, onFault } = options
  const started = spawnLines({ command, env, isForeign: true, inheritsStderr: true, ...(cwd === undefined ? {} : { cwd }) })
  if (!started.ok) return started
  const { stdin, stdout } = started.value
  const { message, envelope } = limits(options)

  const gather = new Gather({
    streams: inputs,
    lane: new Lane(stdin),
    maxLine: message,
    direction: 'in',
    tee,
    report: onFault,
    onPortEnd: (port) => gather.sayEnd(port),
  })
  gather.lane.onFault = onFault

  const lanes = new Map(portsOf('out', ALL_FDS).map((port) => [port as string, laneTo(outputs.get(port))]))
  const dropped = new Set<string>()
  const scatter = new Scatter({
    reader: new LineReader(stdout, { maxLine: envelope }),
    lanes,
    maxLine: message,
    direction: 'out',
    tee,
    report: onFault,
    onDropped: (port) => {
      if (port !== 'tool_req' || dropped.has(port)) return
      dropped.add(port)
      onFault(UNANSWERED)
      if (!inputs.has('tool_resp')) gather.sayEnd('tool_resp')
    },
  })
  const session = openSession(started.value, gather, scatter)
  for (const [port, lane] of lanes) if (lane) lane.onFault = (error) => onFault({ ...error, port })
  const output = lanes.get('output')
  if (output) output.onClosed = session.hangUp
  return { ok: true, value: session }
}

const laneTo = (stream: LineSink | undefined): Lane | null => (stream ? new Lane(stream) : null)

// Telemetry and control replies that nobody hears are no loss; a tool call would be waited for.
const UNANSWERED: Fault = fault(
  'unknown_port',
  `the command asks for tools on 'tool_req', and nobody is there: open descriptors ${FDS.tool_req} and ${FDS.tool_resp}, or keep them from it (--fds 3,6,7)`,
  { port: 'tool_req' },
)
