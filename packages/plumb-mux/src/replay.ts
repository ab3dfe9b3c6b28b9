// A record played back: the envelopes of one direction, as they were.

import { PassThrough, Readable } from 'node:stream'
import { type Fault, LineReader, type Port } from '@plumb/wire'
import { Lane } from './lane.js'
import { ALL_FDS, portsOf } from './port.js'
import { parseRecord } from './record.js'
import { Scatter } from './scatter.js'
import { ENVELOPE_BYTES } from './session.js'
import type { Direction } from './tee.js'

/** What a record says besides the envelope. */
const RECORD_BYTES = 256
const CHUNK_BYTES = 64 * 1024
const LF = 0x0a

/** Lines that are no record are reported, and the others go on. */
export const replay = (file: Readable, direction: Direction, maxLine: number, report: (fault: Fault) => void): Readable => {
  const reader = new LineReader(file, { maxLine: maxLine + ENVELOPE_BYTES + RECORD_BYTES })
  let isWaiting = false
  const pull = (): void => {
    const lines: Buffer[] = []
    for (let bytes = 0; bytes < CHUNK_BYTES && reader.next(); ) {
      const line = takeLine(reader, direction, report)
      if (line) bytes += lines[lines.push(line) - 1]?.length ?? 0
    }
    if (lines.length > 0) stream.push(Buffer.concat(lines))
    else if (reader.hasEnded) stream.push(null)
    else isWaiting = true
  }
  reader.onReadable = () => {
    if (!isWaiting) return
    isWaiting = false
    pull()
  }
  const stream = new Readable({ read: pull })
  return stream
}

const takeLine = (reader: LineReader, direction: Direction, report: (fault: Fault) => void): Buffer | undefined => {
  const { fault, buf, start, end, line, isLast } = reader
  const record = fault ? ({ ok: false, error: fault } as const) : parseRecord(buf, start, end, isLast)
  if (!record.ok) {
    report({ ...record.error, line })
    return undefined
  }
  const { direction: itsOwn, envelope } = record.value
  return itsOwn === direction && envelope ? Buffer.concat([buf.subarray(envelope.start, envelope.end), Buffer.of(LF)]) : undefined
}

/** Envelopes for a command that is to get them on streams of their own. */
export const splitPorts = (envelopes: Readable, maxLine: number, report: (fault: Fault) => void): ReadonlyMap<Port, Readable> => {
  const streams = new Map(portsOf('in', ALL_FDS).map((port) => [port, new PassThrough()]))
  new Scatter({
    reader: new LineReader(envelopes, { maxLine: maxLine + ENVELOPE_BYTES }),
    lanes: new Map([...streams].map(([port, stream]) => [port, new Lane(stream)])),
    maxLine,
    direction: 'in',
    tee: undefined,
    report,
    onDropped: () => {},
  })
  return streams
}
