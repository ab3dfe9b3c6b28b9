// Reads a record that --tee has written: the envelopes of one direction, byte for byte as they were.

import { openSync, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import {
  eachMember,
  type Fault,
  fail,
  isEnvelope,
  LineReader,
  openInput,
  parseJson,
  preview,
  type Result,
  succeed,
  systemReason,
} from '@plumb/wire'
import { MAX_ENVELOPE_BYTES } from './session.js'
import type { Direction } from './tee.js'

/** Bytes of a record line other than its envelope. */
const MAX_RECORD_BYTES = 256
const CHUNK_BYTES = 64 * 1024
const LF = 0x0a

export const openRecord = (path: string): Result<Readable> => {
  try {
    if (statSync(path).isDirectory()) return fail('file_not_found', `--replay names '${preview(path)}', which is a directory`)
    return succeed(openInput(openSync(path, 'r')))
  } catch (error) {
    return fail('file_not_found', `cannot read '${preview(path)}' for --replay: ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}

/** Returns the recorded envelopes of one direction as a stream. Lines that are not records are reported and skipped. */
export const replay = (file: Readable, direction: Direction, maxLine: number, report: (fault: Fault) => void): Readable => {
  let isWaiting = false
  const pull = (): void => {
    const lines: Buffer[] = []
    for (let bytes = 0; bytes < CHUNK_BYTES && reader.next(); ) {
      const line = readEnvelope(reader, direction, report)
      if (line) bytes += lines[lines.push(line) - 1]?.length ?? 0
    }
    if (lines.length > 0) stream.push(Buffer.concat(lines))
    else if (reader.hasEnded) stream.push(null)
    else isWaiting = true
  }
  const goOn = (): void => {
    if (!isWaiting) return
    isWaiting = false
    pull()
  }
  const reader = new LineReader(file, { maxLine: maxLine + MAX_ENVELOPE_BYTES + MAX_RECORD_BYTES, onReadable: goOn })
  const stream = new Readable({ read: pull })
  return stream
}

const readEnvelope = (reader: LineReader, wanted: Direction, report: (fault: Fault) => void): Buffer | undefined => {
  const { fault, buf, start, end, line, isLast } = reader
  const record = fault ? ({ ok: false, error: fault } as const) : parseRecord(buf, start, end, isLast)
  if (!record.ok) {
    report({ ...record.error, line })
    return undefined
  }
  const { direction, envelope } = record.value
  return direction === wanted && envelope ? Buffer.concat([buf.subarray(envelope.start, envelope.end), Buffer.of(LF)]) : undefined
}

interface TeeRecord {
  readonly direction: Direction
  /** Where the envelope is in the buffer; undefined when the line was refused. */
  readonly envelope: { readonly start: number; readonly end: number } | undefined
}

const parseRecord = (buf: Buffer, start: number, end: number, isLast: boolean): Result<TeeRecord> => {
  const parsed = parseJson(buf, start, end, isLast)
  if (!parsed.ok) return parsed
  const { direction, refused } = (parsed.value ?? {}) as Readonly<Record<string, unknown>>
  if (direction !== 'in' && direction !== 'out') return failRecord("it has no 'direction' that is in or out")
  const envelope = findLastMember('line', buf, start)
  if (envelope && isEnvelope(buf, envelope.start, envelope.end)) return succeed({ direction, envelope })
  return refused === undefined ? failRecord("it has no 'line' that is an envelope") : succeed({ direction, envelope: undefined })
}

// As text, so that numbers keep their digits. The bytes are JSON, an object.
const findLastMember = (wanted: string, buf: Buffer, start: number): TeeRecord['envelope'] => {
  let found: TeeRecord['envelope']
  eachMember(buf, buf.indexOf(OPEN, start), (keyStart, keyEnd, start, end) => {
    if (buf.toString('utf8', keyStart, keyEnd) === wanted) found = { start, end }
  })
  return found
}

const OPEN = 0x7b

const failRecord = (why: string) => fail('bad_envelope', `not a record of --tee: ${why}`)
