// Envelopes off one stream, each message to the lane of its port.

import { type Fault, fail, type LineReader, nearest, preview, splitEnvelope } from '@plumb/wire'
import type { Lane } from './lane.js'
import type { Direction, Tee } from './tee.js'
import { onceATurn } from './turn.js'

export interface ScatterOptions {
  readonly reader: LineReader
  /** By the names that envelopes may have; null: nobody is there, and its messages are dropped. */
  readonly lanes: ReadonlyMap<string, Lane | null>
  /** Bytes of a message. */
  readonly maxLine: number
  readonly direction: Direction
  readonly tee: Tee | undefined
  readonly report: (fault: Fault) => void
  /** A message came for a port where nobody is. */
  readonly onDropped: (port: string) => void
}

/** wire.md, Envelopes: so much data of one port may wait while the others go on; then the stream waits as a whole. */
const HELD_BYTES = 16 * 1024 * 1024

const NOTHING = Buffer.alloc(0)
const LF = Buffer.from('\n')

export class Scatter {
  /** All was read and taken, or nobody wants it. */
  readonly ended: Promise<void>
  readonly #o: ScatterOptions
  readonly #lanes: readonly Lane[]
  #hasEnded = false
  #resolve: () => void = () => {}

  constructor(options: ScatterOptions) {
    this.#o = options
    this.#lanes = [...new Set(options.lanes.values())].filter((lane) => lane !== null)
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve
    })
    const pump = onceATurn(() => this.#pump())
    options.reader.onReadable = pump
    for (const lane of this.#lanes) lane.onRoom = pump
    options.tee?.onRoom(pump)
  }

  /** Reads no more, and what waits is dropped. */
  stop(): void {
    for (const lane of this.#lanes) lane.destroy()
    this.#finish()
  }

  #pump(): void {
    const { reader, tee } = this.#o
    if (this.#hasEnded || tee?.isFull) return
    let goesOn = this.#lanes.every(hasRoom)
    while (goesOn && reader.next()) {
      const lane = reader.fault ? this.#refuse(reader.fault) : this.#line(reader)
      goesOn = !lane || hasRoom(lane)
    }
    for (const lane of this.#lanes) lane.flush()
    if (reader.hasEnded) this.#finish()
  }

  #finish(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#o.reader.stop()
    for (const lane of this.#lanes) lane.end()
    void Promise.all(this.#lanes.map((lane) => lane.ended)).then(() => this.#resolve())
  }

  // The lane that it went to, if any.
  #line({ buf, start, end, isLast }: LineReader): Lane | undefined {
    const { lanes, maxLine, direction, tee } = this.#o
    const split = splitEnvelope(buf, start, end, isLast)
    if (!split.ok) return this.#refuse(split.error)
    const { port, isEof, start: from, end: to } = split.value
    const lane = lanes.get(port)
    if (lane === undefined) return this.#refuse(this.#unknown(port))
    if (to - from > maxLine) return this.#refuse(tooLong(port, maxLine))
    if (lane?.hasEnded && !lane.hasClosed) return this.#refuse(closedBefore(port))
    tee?.passed(direction, NOTHING, buf, start, end)
    if (lane === null) this.#o.onDropped(port)
    else if (isEof) lane.end()
    else lane.add(NOTHING, buf, from, to, LF)
    return lane ?? undefined
  }

  #unknown(name: string): Fault {
    const names = [...this.#o.lanes.keys()]
    const near = nearest(name, names)
    const help = near === undefined ? `there is ${names.join(', ')}` : `did you mean '${near}'?`
    return fail('unknown_port', `no port that goes this way is named '${preview(name)}'; ${help}`, { port: preview(name) }).error
  }

  #refuse(fault: Fault): undefined {
    const { reader, direction, tee, report } = this.#o
    tee?.refused(direction, fault, reader)
    report({ ...fault, line: reader.line })
  }
}

const hasRoom = (lane: Lane): boolean => lane.held < HELD_BYTES

const closedBefore = (port: string): Fault => fail('bad_envelope', `port '${port}' was closed before`, { port }).error

const tooLong = (port: string, maxLine: number): Fault =>
  fail('line_too_long', `a message for '${port}' is longer than ${maxLine} bytes; raise --max-line or send less at once`, { port }).error
