// Plain lines off several streams, each in an envelope of its port into one lane.

import { checkJson, encloseEof, envelopeHead, type Fault, LineReader, type LineSource, type Port } from '@plumb/wire'
import type { Lane } from './lane.js'
import { isUrgent } from './port.js'
import type { Direction, Tee } from './tee.js'
import { onceATurn } from './turn.js'

export interface GatherOptions {
  readonly streams: ReadonlyMap<Port, LineSource>
  readonly lane: Lane
  readonly maxLine: number
  readonly direction: Direction
  readonly tee: Tee | undefined
  readonly report: (fault: Fault) => void
  /** This one has ended, and another has not. */
  readonly onPortEnd: (port: Port) => void
}

interface Inlet {
  readonly port: Port
  readonly head: Buffer
  readonly reader: LineReader
  readonly isUrgent: boolean
  /** How much had been added to the lane when its last line was. */
  position: number
  hasEnded: boolean
}

/** What is urgent waits only when so much is before it. */
const URGENT_BYTES = 256 * 1024
/** So much of one at a time: what is urgent may find one of these from each of the others before it. */
const QUANTUM_BYTES = 16 * 1024
/** So many of them at once, while all of it is taken. */
const MOST_QUANTA = 4

const NOTHING = Buffer.alloc(0)
const LF = Buffer.from('\n')
const CLOSE = Buffer.from('}\n')

export class Gather {
  /** All was read and taken, or nobody wants it. */
  readonly ended: Promise<void>
  readonly lane: Lane
  readonly #o: GatherOptions
  /** Urgent ones first. */
  readonly #inlets: readonly Inlet[]
  readonly #request: () => void

  constructor(options: GatherOptions) {
    this.#o = options
    const { streams, lane, maxLine, tee } = options
    this.lane = lane
    this.ended = lane.ended
    this.#inlets = [...streams]
      .map(([port, stream]) => ({
        port,
        head: envelopeHead(port),
        reader: new LineReader(stream, { maxLine }),
        isUrgent: isUrgent(port),
        position: 0,
        hasEnded: false,
      }))
      .sort((a, b) => Number(b.isUrgent) - Number(a.isUrgent))
    this.#request = onceATurn(() => this.#pump())
    for (const { reader } of this.#inlets) reader.onReadable = this.#request
    lane.onRoom = this.#request
    tee?.onRoom(this.#request)
  }

  /** Tells the other side that a port is closed. */
  sayEnd(port: Port): void {
    const { direction, tee } = this.#o
    const { lane } = this
    if (lane.hasEnded) return
    const envelope = encloseEof(port)
    tee?.passed(direction, NOTHING, envelope, 0, envelope.length)
    lane.add(NOTHING, envelope, 0, envelope.length, LF)
    lane.flush()
  }

  /** Reads no more, and what waits is dropped. */
  stop(): void {
    for (const inlet of this.#inlets) {
      inlet.hasEnded = true
      inlet.reader.stop()
    }
    this.lane.destroy()
  }

  #pump(): void {
    let isMore = this.#takeAll()
    for (let i = 1; i < MOST_QUANTA && isMore && this.lane.held === 0; i++) isMore = this.#takeAll()
    if (isMore && this.#inlets.some((inlet) => this.#mayGo(inlet))) this.#request()
  }

  // True: there may be more.
  #takeAll(): boolean {
    let isMore = false
    for (const inlet of this.#inlets) {
      if (inlet.hasEnded || this.#o.tee?.isFull || !this.#mayGo(inlet)) continue
      if (this.#take(inlet)) isMore = true
      else if (inlet.reader.hasEnded) this.#end(inlet)
    }
    this.lane.flush()
    return isMore
  }

  // One that is not urgent goes on when all it gave before has left: no port can fill the lane, and none is kept out of it.
  #mayGo({ isUrgent, position }: Inlet): boolean {
    const { added, held } = this.lane
    return isUrgent ? held < URGENT_BYTES : position <= added - held
  }

  #take(inlet: Inlet): boolean {
    const { reader, head } = inlet
    const { tee, direction } = this.#o
    const { lane } = this
    const limit = lane.added + QUANTUM_BYTES
    while (lane.added < limit) {
      if (!reader.next()) return false
      const { buf, start, end, isLast } = reader
      const flaw = reader.fault ?? checkJson(buf, start, end, isLast)
      if (flaw) {
        this.#refuse(inlet, flaw)
      } else {
        tee?.passed(direction, head, buf, start, end)
        lane.add(head, buf, start, end, CLOSE)
        inlet.position = lane.added
      }
      if (lane.hasClosed) return false
    }
    return true
  }

  #end(inlet: Inlet): void {
    inlet.hasEnded = true
    if (this.#inlets.every(({ hasEnded }) => hasEnded)) this.lane.end()
    else this.#o.onPortEnd(inlet.port)
  }

  #refuse({ port, reader }: Inlet, fault: Fault): void {
    const { direction, tee, report } = this.#o
    tee?.refused(direction, fault, reader, port)
    report({ ...fault, port, line: reader.line })
  }
}
