// Many streams of plain lines into one stream of envelopes, each with the port of its line.

import {
  checkJson,
  encloseEof,
  encloseUnreadable,
  envelopeHead,
  type Fault,
  type FdName,
  LineReader,
  type LineSink,
  type LineSource,
  preview,
} from '@plumb/wire'
import { cutFault } from './cut-fault.js'
import { oncePerTurn } from './once-per-turn.js'
import { OutputQueue } from './output-queue.js'
import { isUrgent } from './port.js'
import type { Direction, Tee } from './tee.js'

export interface MultiplexerOptions {
  readonly inputs: ReadonlyMap<FdName, LineSource>
  readonly output: LineSink
  readonly maxLine: number
  readonly direction: Direction
  readonly tee: Tee | undefined
  readonly report: (fault: Fault) => void
  /** A line that cannot be read is told in its place, not reported. */
  readonly tellsUnreadable?: boolean | undefined
  /** Whether the program that writes the inputs has ended with status 0: else a last line without its end is none. */
  readonly hasEndedWell?: Promise<boolean>
  /** One input has ended, and others have not. */
  readonly onPortEnd: (port: FdName) => void
  /** The reader of the output has closed. */
  readonly onOutputClosed?: () => void
  readonly onOutputFault: (fault: Fault) => void
}

interface Input {
  readonly port: FdName
  readonly head: Buffer
  readonly reader: LineReader
  readonly isUrgent: boolean
  /** Value of `OutputQueue.added` after the last line of this input. */
  position: number
  /** Its last line, which the reader is at, has no end, and it is not known how its program ends. */
  isCut: boolean
  hasEnded: boolean
}

/** Urgent inputs wait only when more than this is queued. */
const MAX_QUEUED_URGENT_BYTES = 256 * 1024
/** Bytes taken from one input before the next one: an urgent line may find this much of each other input ahead of it. */
const QUANTUM_BYTES = 16 * 1024
/** Rounds over all inputs in one turn of the event loop, as long as the output accepts everything. */
const MAX_ROUNDS = 4

/** Of a line that cannot be read. */
const MAX_SHOWN = 80
const NOTHING = Buffer.alloc(0)
const LF = Buffer.from('\n')
const CLOSE = Buffer.from('}\n')

export class Multiplexer {
  /** Resolves when everything was read and written, or the output has closed. */
  readonly ended: Promise<void>
  readonly #o: MultiplexerOptions
  readonly #queue: OutputQueue
  /** Urgent ones first. */
  readonly #inputs: readonly Input[]
  readonly #pump: () => void
  #hasEndedWell: boolean | undefined

  constructor(options: MultiplexerOptions) {
    this.#o = options
    const { inputs, output, maxLine, tee, onOutputClosed, onOutputFault } = options
    this.#pump = oncePerTurn(() => this.#run())
    this.#queue = new OutputQueue(output, { onRoom: this.#pump, onClosed: onOutputClosed, onFault: onOutputFault })
    this.ended = this.#queue.ended
    this.#inputs = [...inputs]
      .map(([port, stream]) => ({
        port,
        head: envelopeHead(port),
        reader: new LineReader(stream, { maxLine, onReadable: this.#pump }),
        isUrgent: isUrgent(port),
        position: 0,
        isCut: false,
        hasEnded: false,
      }))
      .sort((a, b) => Number(b.isUrgent) - Number(a.isUrgent))
    tee?.onRoom(this.#pump)
    void options.hasEndedWell?.then((isWell) => {
      this.#hasEndedWell = isWell
      this.#pump()
    })
  }

  /** Writes the envelope that closes a port. */
  sendEof(port: FdName): void {
    if (!this.#queue.isOpen) return
    const { direction, tee } = this.#o
    const envelope = encloseEof(port)
    tee?.recordPassed(direction, NOTHING, envelope, 0, envelope.length)
    this.#queue.add(NOTHING, envelope, 0, envelope.length, LF)
    this.#queue.flush()
  }

  /** Stops reading, and drops what is queued. */
  stop(): void {
    for (const input of this.#inputs) {
      input.hasEnded = true
      input.reader.stop()
    }
    this.#queue.destroy()
  }

  #run(): void {
    let hasMore = this.#runRound()
    for (let i = 1; i < MAX_ROUNDS && hasMore && this.#queue.queuedBytes === 0; i++) hasMore = this.#runRound()
    if (hasMore && this.#inputs.some((input) => this.#canTake(input))) this.#pump()
  }

  // Returns true when an input may have more lines.
  #runRound(): boolean {
    let hasMore = false
    for (const input of this.#inputs) {
      if (input.hasEnded || this.#isWaiting(input) || this.#o.tee?.isFull || !this.#canTake(input)) continue
      if (this.#take(input)) hasMore = true
      else if (input.reader.hasEnded) this.#end(input)
    }
    this.#queue.flush()
    return hasMore
  }

  // An input that is not urgent continues when all its earlier lines were written: no port can fill the queue, and none is kept out of it.
  #canTake({ isUrgent, position }: Input): boolean {
    const { added, queuedBytes } = this.#queue
    return isUrgent ? queuedBytes < MAX_QUEUED_URGENT_BYTES : position <= added - queuedBytes
  }

  // Returns true when the quantum was used up.
  #take(input: Input): boolean {
    const { reader, head } = input
    const { tee, direction } = this.#o
    const queue = this.#queue
    const limit = queue.added + QUANTUM_BYTES
    while (queue.added < limit) {
      if (!input.isCut && !reader.next()) return false
      input.isCut = reader.isLast && this.#o.hasEndedWell !== undefined
      if (this.#isWaiting(input)) return false
      const { buf, start, end, isLast } = reader
      const cut = input.isCut && !this.#hasEndedWell ? cutFault(buf, start, end) : undefined
      input.isCut = false
      const fault = cut ?? reader.fault ?? checkJson(buf, start, end, isLast)
      if (fault && !cut && this.#o.tellsUnreadable) {
        this.#tell(input, { ...fault, text: preview(buf.toString('utf8', start, end), MAX_SHOWN) })
      } else if (fault) {
        this.#refuse(input, fault)
      } else {
        tee?.recordPassed(direction, head, buf, start, end)
        queue.add(head, buf, start, end, CLOSE)
        input.position = queue.added
      }
      if (queue.isClosed) return false
    }
    return true
  }

  #isWaiting({ isCut }: Input): boolean {
    return isCut && this.#hasEndedWell === undefined
  }

  #end(input: Input): void {
    input.hasEnded = true
    if (this.#inputs.every(({ hasEnded }) => hasEnded)) this.#queue.end()
    else this.#o.onPortEnd(input.port)
  }

  #tell(input: Input, fault: Fault): void {
    const { direction, tee } = this.#o
    tee?.recordRefused(direction, fault, input.reader, input.port)
    const envelope = encloseUnreadable(input.port, fault)
    this.#queue.add(NOTHING, envelope, 0, envelope.length, LF)
    input.position = this.#queue.added
  }

  #refuse({ port, reader }: Input, fault: Fault): void {
    const { direction, tee, report } = this.#o
    tee?.recordRefused(direction, fault, reader, port)
    report({ ...fault, port, line: reader.line })
  }
}
