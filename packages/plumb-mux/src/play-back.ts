// A record alone, in the place of the command that it is of.

import type { Readable } from 'node:stream'
import { type Fault, FDS, LineReader, openOutput } from '@plumb/wire'
import { Lane } from './lane.js'
import { ALL_FDS, portsOf } from './port.js'
import { Scatter } from './scatter.js'
import { ENVELOPE_BYTES } from './session.js'
import { onceATurn } from './turn.js'

/** Onto stdout as it is; with `fds`, each port onto its own descriptor, if it is one of them. */
export const playBack = (
  envelopes: Readable,
  fds: ReadonlySet<number> | undefined,
  maxLine: number,
  report: (fault: Fault) => void,
): Promise<void> => {
  const reader = new LineReader(envelopes, { maxLine: maxLine + ENVELOPE_BYTES })
  return fds ? scatter(reader, fds, maxLine, report) : copy(reader, report)
}

const scatter = (reader: LineReader, fds: ReadonlySet<number>, maxLine: number, report: (fault: Fault) => void): Promise<void> => {
  const open = portsOf('out', fds)
  const lanes = new Map(
    portsOf('out', ALL_FDS).map((port) => [port as string, open.includes(port) ? new Lane(openOutput(FDS[port])) : null]),
  )
  const { ended } = new Scatter({ reader, lanes, maxLine, direction: 'out', tee: undefined, report, onDropped: () => {} })
  for (const lane of lanes.values()) if (lane) lane.onFault = report
  return ended
}

const NOTHING = Buffer.alloc(0)
const LF = Buffer.from('\n')
const FULL_BYTES = 64 * 1024

const copy = (reader: LineReader, report: (fault: Fault) => void): Promise<void> => {
  const lane = new Lane(openOutput(FDS.output))
  const pump = onceATurn(() => {
    while (lane.held < FULL_BYTES && reader.next()) lane.add(NOTHING, reader.buf, reader.start, reader.end, LF)
    lane.flush()
    if (reader.hasEnded) lane.end()
  })
  reader.onReadable = lane.onRoom = pump
  lane.onClosed = () => reader.stop()
  lane.onFault = (error) => {
    report(error)
    reader.stop()
  }
  return lane.ended
}
