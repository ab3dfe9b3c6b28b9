// A command with real descriptors inside, envelopes outside.

import { DIRECTIONS, FDS, type FdName, type LineChild, type LineSink, type LineSource, type Result, spawnChild, succeed } from '@plumb/wire'
import { Demultiplexer } from './demultiplexer.js'
import { Multiplexer } from './multiplexer.js'
import { ALL_FDS, fdPortsOf } from './port.js'
import { copyEnvironment, lineLimits, type MuxOptions, type MuxSession, openMuxSession } from './session.js'

/** Where envelopes come from and go to, and which ports there are. */
export interface WrapOptions extends MuxOptions {
  /** Envelopes for the command; its end closes all ports that are open. */
  readonly input: LineSource
  /** Envelopes of the command; is ended. */
  readonly output: LineSink
  /** The descriptors that the command gets in addition to 0, 1 and 2; all from 3 to 7. */
  readonly fds?: ReadonlySet<number>
  /** A line of it that cannot be read is told among its output, not reported. */
  readonly tellsUnreadable?: boolean
}

/** A port that closes this long before the command ends gets an eof envelope. At the end of the command all ports close without one. */
const EOF_DELAY_MS = 250

/**
 * Runs a command on pipes at 0, 1 and 3 to 7, and carries them in envelopes: `{"__port":"input","msg":…}` goes to 0,
 * what it writes on 7 comes as `{"__port":"ctrl_out","msg":…}`. Its stderr is that of this process.
 */
export const wrap = (options: WrapOptions): Result<MuxSession> => {
  const { command, cwd, env = copyEnvironment(), input, output, fds = ALL_FDS, tellsUnreadable, tee, onFault } = options
  const inward = fdPortsOf('in', fds)
  const outward = fdPortsOf('out', fds)
  const started = spawnChild({
    command,
    env,
    fds: Object.fromEntries([...inward, ...outward].filter((port) => FDS[port] > 2).map((port) => [FDS[port], DIRECTIONS[port]])),
    isForeign: true,
    inheritsStderr: true,
    ...(cwd === undefined ? {} : { cwd }),
  })
  if (!started.ok) return started
  const child = started.value
  const { message, envelope } = lineLimits(options)

  const sinks = new Map(inward.map((port) => [port as string, streamOf(child, port) as LineSink]))
  // What another program wrote on its output is data here, so that programs compose (plumb-wire(5), Envelopes).
  sinks.set('output', child.stdin)
  const demultiplexer = new Demultiplexer({
    input,
    outputs: sinks,
    maxLine: message,
    maxEnvelope: envelope,
    direction: 'in',
    tee,
    report: onFault,
    onOutputFault: (fault, port) => onFault({ ...fault, port }),
  })

  let hasEnded = false
  const timers: NodeJS.Timeout[] = []
  const multiplexer = new Multiplexer({
    inputs: new Map(outward.map((port) => [port, streamOf(child, port) as LineSource])),
    output,
    maxLine: message,
    direction: 'out',
    tee,
    report: onFault,
    tellsUnreadable,
    hasEndedWell: child.ended.then(({ status }) => status === 0),
    onPortEnd: (port) => {
      if (!hasEnded) timers.push(setTimeout(() => multiplexer.sendEof(port), EOF_DELAY_MS))
    },
    onOutputClosed: () => session.hangUp(),
    onOutputFault: (fault) => {
      onFault({ ...fault, port: 'output' })
      session.hangUp()
    },
  })
  // Not when all its output has been read: that is up to the reader here.
  void child.ended.then(() => {
    hasEnded = true
    for (const timer of timers) clearTimeout(timer)
  })
  const session = openMuxSession(child, demultiplexer, multiplexer)
  return succeed(session)
}

const streamOf = (child: LineChild, port: FdName): LineSource | LineSink | undefined =>
  port === 'input' ? child.stdin : port === 'output' ? child.stdout : child.fds.get(FDS[port])
