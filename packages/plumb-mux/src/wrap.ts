// A command with real descriptors inside, envelopes outside.

import {
  DIRECTIONS,
  FDS,
  type LineChild,
  LineReader,
  type LineSink,
  type LineSource,
  type Port,
  type Result,
  spawnLines,
} from '@plumb/wire'
import { Gather } from './gather.js'
import { Lane } from './lane.js'
import { ALL_FDS, portsOf } from './port.js'
import { Scatter } from './scatter.js'
import { limits, type MuxOptions, openSession, ownEnvironment, type Session } from './session.js'

export interface WrapOptions extends MuxOptions {
  /** Envelopes for the command; its end closes all ports that are open. */
  readonly input: LineSource
  /** Envelopes of the command; is ended. */
  readonly output: LineSink
  /** The descriptors that the command gets besides 0, 1 and 2; all from 3 to 7. */
  readonly fds?: ReadonlySet<number>
}

/** A port that closes this long before the command ends is told to be closed; at the very end all do, and nobody needs to be told. */
const EARLY_MS = 250

/**
 * Runs a command on pipes at 0, 1 and 3 to 7, and carries them in envelopes: `{"__port":"input","msg":…}` goes to 0, what it writes on 7 comes as
 * `{"__port":"ctrl_out","msg":…}`. Its stderr is that of this process.
 */
export const wrap = (options: WrapOptions): Result<Session> => {
  const { command, cwd, env = ownEnvironment(), input, output, fds = ALL_FDS, tee, onFault } = options
  const inward = portsOf('in', fds)
  const outward = portsOf('out', fds)
  const started = spawnLines({
    command,
    env,
    fds: Object.fromEntries([...inward, ...outward].filter((port) => FDS[port] > 2).map((port) => [FDS[port], DIRECTIONS[port]])),
    isForeign: true,
    inheritsStderr: true,
    ...(cwd === undefined ? {} : { cwd }),
  })
  if (!started.ok) return started
  const child = started.value
  const { message, envelope } = limits(options)

  const lanes = new Map(inward.map((port) => [port as string, new Lane(streamOf(child, port) as LineSink)]))
  for (const [port, lane] of lanes) lane.onFault = (fault) => onFault({ ...fault, port })
  // What another program wrote on its output is data here, so that they compose (wire.md, Envelopes).
  const takers = new Map([...lanes, ['output', lanes.get('input') as Lane]])
  const scatter = new Scatter({
    reader: new LineReader(input, { maxLine: envelope }),
    lanes: takers,
    maxLine: message,
    direction: 'in',
    tee,
    report: onFault,
    onDropped: () => {},
  })

  let hasEnded = false
  const timers: NodeJS.Timeout[] = []
  const gather = new Gather({
    streams: new Map(outward.map((port) => [port, streamOf(child, port) as LineSource])),
    lane: new Lane(output),
    maxLine: message,
    direction: 'out',
    tee,
    report: onFault,
    onPortEnd: (port) => {
      if (!hasEnded) timers.push(setTimeout(() => gather.sayEnd(port), EARLY_MS))
    },
  })
  // Not when all that it wrote has been read, which is up to who reads here.
  void child.ended.then(() => {
    hasEnded = true
    for (const timer of timers) clearTimeout(timer)
  })
  const session = openSession(child, scatter, gather)
  gather.lane.onClosed = session.hangUp
  gather.lane.onFault = (fault) => {
    onFault({ ...fault, port: 'output' })
    session.hangUp()
  }
  return { ok: true, value: session }
}

const streamOf = (child: LineChild, port: Port): LineSource | LineSink | undefined =>
  port === 'input' ? child.stdin : port === 'output' ? child.stdout : child.fds.get(FDS[port])
