// One stream of envelopes into many streams of plain lines, each message to the stream of its port.

import { type Fault, fail, LineReader, type LineSink, type LineSource, nearest, preview, splitEnvelope } from '@plumb/wire'
import { cutFault } from './cut-fault.js'
import { oncePerTurn } from './once-per-turn.js'
import { OutputQueue } from './output-queue.js'
import type { Direction, Tee } from './tee.js'

export interface DemultiplexerOptions {
  /** The envelopes. */
  readonly input: LineSource
  /** By port name; null where a port exists but nothing reads it: its messages are dropped. Two names may share one stream. */
  readonly outputs: ReadonlyMap<string, LineSink | null>
  /** Bytes of the longest message, and of the longest line: a message in its envelope. */
  readonly maxLine: number
  readonly maxEnvelope: number
  readonly direction: Direction
  readonly tee: Tee | undefined
  readonly report: (fault: Fault) => void
  /** Whether the program that writes the input has ended with status 0: else a last line without its end is none. */
  readonly hasEndedWell?: Promise<boolean>
  /** A message was dropped, because nothing reads its port. */
  readonly onDropped?: (port: string) => void
  /** The reader of an output has closed. */
  readonly onOutputClosed?: (port: string) => void
  readonly onOutputFault?: (fault: Fault, port: string) => void
}

/** plumb-wire(5), Envelopes: bytes of one port that may wait while other ports continue; beyond it all ports wait. */
const MAX_QUEUED_BYTES = 16 * 1024 * 1024

const NOTHING = Buffer.alloc(0)
const LF = Buffer.from('\n')

export class Demultiplexer {
  /** Resolves when everything was read and written, or all outputs have closed. */
  readonly ended: Promise<void>
  readonly #o: DemultiplexerOptions
  readonly #reader: LineReader
  readonly #queues: ReadonlyMap<string, OutputQueue | null>
  readonly #distinct: readonly OutputQueue[]
  #hasEnded = false
  /** The last line, which the reader is at, has no end, and it is not known how its program ends. */
  #isCut = false
  #hasEndedWell: boolean | undefined
  #resolveEnded: () => void = () => {}

  constructor(options: DemultiplexerOptions) {
    this.#o = options
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve
    })
    const pump = oncePerTurn(() => this.#run())
    this.#queues = openQueues(options, pump)
    this.#distinct = [...new Set(this.#queues.values())].filter((queue) => queue !== null)
    this.#reader = new LineReader(options.input, { maxLine: options.maxEnvelope, onReadable: pump })
    options.tee?.onRoom(pump)
    void options.hasEndedWell?.then((isWell) => {
      this.#hasEndedWell = isWell
      pump()
    })
  }

  /** Stops reading, and drops what is queued. */
  stop(): void {
    for (const queue of this.#distinct) queue.destroy()
    this.#end()
  }

  #run(): void {
    const reader = this.#reader
    const { tee } = this.#o
    if (this.#hasEnded || tee?.isFull) return
    let canContinue = this.#distinct.every(hasRoom)
    while (canContinue && (this.#isCut || reader.next())) {
      this.#isCut = reader.isLast && this.#o.hasEndedWell !== undefined
      if (this.#isCut && this.#hasEndedWell === undefined) break
      const fault = this.#isCut && !this.#hasEndedWell ? cutFault(reader.buf, reader.start, reader.end) : reader.fault
      this.#isCut = false
      const queue = fault ? this.#refuse(fault) : this.#route(reader)
      canContinue = !queue || hasRoom(queue)
    }
    for (const queue of this.#distinct) queue.flush()
    if (reader.hasEnded) this.#end()
  }

  #end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#reader.stop()
    for (const queue of this.#distinct) queue.end()
    void Promise.all(this.#distinct.map((queue) => queue.ended)).then(() => this.#resolveEnded())
  }

  // Returns the queue that the message was added to, if any.
  #route({ buf, start, end, isLast }: LineReader): OutputQueue | undefined {
    const { maxLine, direction, tee, onDropped } = this.#o
    const split = splitEnvelope(buf, start, end, isLast)
    if (!split.ok) return this.#refuse(split.error)
    const { port, isEof, start: from, end: to } = split.value
    const queue = this.#queues.get(port)
    if (queue === undefined) return this.#refuse(unknownPort(port, [...this.#queues.keys()]))
    if (to - from > maxLine) return this.#refuse(messageTooLong(port, maxLine))
    if (queue && !queue.isOpen && !queue.isClosed) return this.#refuse(portAlreadyClosed(port))
    tee?.recordPassed(direction, NOTHING, buf, start, end)
    if (queue === null) onDropped?.(port)
    else if (isEof) queue.end()
    else queue.add(NOTHING, buf, from, to, LF)
    return queue ?? undefined
  }

  #refuse(fault: Fault): undefined {
    const { direction, tee, report } = this.#o
    tee?.recordRefused(direction, fault, this.#reader)
    report({ ...fault, line: this.#reader.line })
  }
}

// One queue for each distinct stream. Its listeners get the first of the names that share it.
const openQueues = (
  { outputs, onOutputClosed, onOutputFault }: DemultiplexerOptions,
  onRoom: () => void,
): ReadonlyMap<string, OutputQueue | null> => {
  const byStream = new Map<LineSink, OutputQueue>()
  const queueOf = (port: string, stream: LineSink): OutputQueue => {
    const known = byStream.get(stream)
    if (known) return known
    const queue = new OutputQueue(stream, {
      onRoom,
      onClosed: () => onOutputClosed?.(port),
      onFault: (fault) => onOutputFault?.(fault, port),
    })
    byStream.set(stream, queue)
    return queue
  }
  return new Map([...outputs].map(([port, stream]) => [port, stream && queueOf(port, stream)]))
}

const hasRoom = (queue: OutputQueue): boolean => queue.queuedBytes < MAX_QUEUED_BYTES

const unknownPort = (name: string, names: readonly string[]): Fault => {
  const near = nearest(name, names)
  const help = near === undefined ? `there is ${names.join(', ')}` : `did you mean '${near}'?`
  return fail('unknown_port', `no port that goes this way is named '${preview(name)}'; ${help}`, { port: preview(name) }).error
}

const portAlreadyClosed = (port: string): Fault => fail('bad_envelope', `port '${port}' was closed before`, { port }).error

const messageTooLong = (port: string, maxLine: number): Fault =>
  fail('line_too_long', `a message for '${port}' is longer than ${maxLine} bytes; raise --max-line or send less at once`, { port }).error
