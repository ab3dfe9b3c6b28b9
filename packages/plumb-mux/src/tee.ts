// A record of a session, for --replay and for people: one object a line, with the time and the direction of what it holds.
//
//   {"time":"2026-11-21T12:00:00.000Z","direction":"in","line":ENVELOPE}                            it was passed on
//   {"time":…,"direction":"out","port":"output","refused":"invalid_json","text":"what stood there"}  it was not

import type { Writable } from 'node:stream'
import type { Fault, LineReader } from '@plumb/wire'
import { Lane } from './lane.js'

/** As the command sees it. */
export type Direction = 'in' | 'out'

/** A disk that is slower than the session holds it back, when so much waits. */
const FULL_BYTES = 1024 * 1024

const NOTHING = Buffer.alloc(0)
const LF = Buffer.from('\n')
const CLOSE = Buffer.from('}\n')
const CLOSE_BOTH = Buffer.from('}}\n')

export class Tee {
  readonly #lane: Lane
  readonly #waiting: (() => void)[] = []
  #isScheduled = false

  /** A record that cannot be written ends, and the session goes on. */
  constructor(stream: Writable, report: (fault: Fault) => void) {
    this.#lane = new Lane(stream)
    this.#lane.onFault = report
    this.#lane.onRoom = () => {
      for (const listen of this.#waiting) listen()
    }
  }

  get isFull(): boolean {
    return this.#lane.held > FULL_BYTES
  }

  onRoom(listen: () => void): void {
    this.#waiting.push(listen)
  }

  /** An envelope: whole in `buf[start..end)`, or with a `head` that it begins with, and then without its last brace. */
  passed(direction: Direction, head: Buffer, buf: Buffer, start: number, end: number): void {
    const record = Buffer.from(`{"time":"${now()}","direction":"${direction}","line":${head.toString()}`)
    this.#lane.add(record, buf, start, end, head.length > 0 ? CLOSE_BOTH : CLOSE)
    this.#flushSoon()
  }

  refused(direction: Direction, { error, port }: Fault, reader: LineReader, from: unknown = port): void {
    const { fault, buf, start, end } = reader
    const text = fault ? {} : { text: buf.toString('utf8', start, end) }
    const record = Buffer.from(JSON.stringify({ time: now(), direction, port: from, refused: error, ...text }))
    this.#lane.add(NOTHING, record, 0, record.length, LF)
    this.#flushSoon()
  }

  /** Resolves when it is written, or cannot be. */
  end(): Promise<void> {
    this.#lane.end()
    return this.#lane.ended
  }

  #flushSoon(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    process.nextTick(() => {
      this.#isScheduled = false
      this.#lane.flush()
    })
  }
}

const now = (): string => new Date().toISOString()
