// Writes a record of a session, for --replay and for people: one object a line, with its time and direction.
//
//   {"time":"2026-11-21T12:00:00.000Z","direction":"in","line":ENVELOPE}                         a line that was passed on
//   {"time":…,"direction":"out","port":"output","refused":"invalid_json","text":"the whole line"}  a line that was refused

import { constants } from 'node:fs'
import type { Writable } from 'node:stream'
import { type Fault, fail, type LineReader, openOutput, preview, type Result, succeed, systemReason } from '@plumb/wire'
import { openOwnFile } from '@plumb/wire/output'
import { OutputQueue } from './output-queue.js'

/** As seen by the command. */
export type Direction = 'in' | 'out'

/** The session pauses when more than this waits for a slow disk. */
const MAX_QUEUED_BYTES = 1024 * 1024

// A session may be private.
const FILE_MODE = 0o600

const NOTHING = Buffer.alloc(0)
const LF = Buffer.from('\n')
const CLOSE = Buffer.from('}\n')
const CLOSE_BOTH = Buffer.from('}}\n')

/** A recording: every line, with its time and direction. */
export class Tee {
  readonly #queue: OutputQueue
  readonly #roomListeners: (() => void)[] = []
  #isFlushScheduled = false

  /** When writing fails, the record ends and the session continues. */
  constructor(stream: Writable, report: (fault: Fault) => void) {
    this.#queue = new OutputQueue(stream, {
      onRoom: () => {
        for (const listen of this.#roomListeners) listen()
      },
      onFault: report,
    })
  }

  get isFull(): boolean {
    return this.#queue.queuedBytes > MAX_QUEUED_BYTES
  }

  onRoom(listen: () => void): void {
    this.#roomListeners.push(listen)
  }

  /** An envelope: all of `buf[start..end)`; or, with a `head`, that followed by `buf[start..end)` and the closing brace. */
  recordPassed(direction: Direction, head: Buffer, buf: Buffer, start: number, end: number): void {
    const record = Buffer.from(`{"time":"${now()}","direction":"${direction}","line":${head.toString()}`)
    this.#queue.add(record, buf, start, end, head.length > 0 ? CLOSE_BOTH : CLOSE)
    this.#flushSoon()
  }

  recordRefused(direction: Direction, { error, port }: Fault, reader: LineReader, from: unknown = port): void {
    const { fault, buf, start, end } = reader
    const text = fault ? {} : { text: buf.toString('utf8', start, end) }
    const record = Buffer.from(JSON.stringify({ time: now(), direction, port: from, refused: error, ...text }))
    this.#queue.add(NOTHING, record, 0, record.length, LF)
    this.#flushSoon()
  }

  /** Resolves when everything was written, or writing has failed. */
  end(): Promise<void> {
    this.#queue.end()
    return this.#queue.ended
  }

  #flushSoon(): void {
    if (this.#isFlushScheduled) return
    this.#isFlushScheduled = true
    process.nextTick(() => {
      this.#isFlushScheduled = false
      this.#queue.flush()
    })
  }
}

export const openTee = (path: string, report: (fault: Fault) => void): Result<Tee> => {
  try {
    return succeed(
      new Tee(openOutput(openOwnFile(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, FILE_MODE)), (error) =>
        report({ ...error, path: preview(path) }),
      ),
    )
  } catch (error) {
    return fail('file_not_found', `cannot write '${preview(path)}' for --tee: ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}

const now = (): string => new Date().toISOString()
