// One stream that leaves this process: lines in order, and those that it does not take yet, packed into blocks.

import { Socket } from 'node:net'
import { type Fault, type LineSink, LineWriter } from '@plumb/wire'
import { Block, returnBlock, takeBlock } from './block.js'

const NONE = new Block(0)

export class Lane {
  /** Some of what was held has left. */
  onRoom: (() => void) | null = null
  /** Nobody reads it any more; what is added is dropped. */
  onClosed: (() => void) | null = null
  onFault: ((fault: Fault) => void) | null = null
  /** Bytes given to it so far. */
  added = 0
  hasClosed = false
  /** All was taken, or nobody reads it any more. */
  readonly ended: Promise<void>

  readonly #stream: LineSink
  readonly #writer: LineWriter
  /** Descriptors need no bytes that were written; other streams may go on with them. */
  readonly #keepsNothing: boolean
  #block = NONE
  /** Where in the block the lines begin that wait. */
  #from = 0
  /** Full blocks with lines that wait, from where on in the first of them, and how many bytes these lines are. */
  #waiting: Block[] = []
  #waitingFrom = 0
  #waitingBytes = 0
  /** The stream may still need these. */
  #given: Block[] = []
  #isEnding = false
  #resolve: () => void = () => {}

  constructor(stream: LineSink) {
    this.#stream = stream
    this.#keepsNothing = typeof (stream as { fd?: unknown }).fd === 'number' || stream instanceof Socket
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve
    })
    // Full as soon as anything waits: small lines are packed here, not kept by the stream one by one.
    this.#writer = new LineWriter(stream, { fullBytes: 0 })
    this.#writer.onDrain = () => {
      this.#takeBack()
      this.flush()
      this.onRoom?.()
    }
    this.#writer.onClosed = () => this.#close(() => this.onClosed?.())
    this.#writer.onFault = (fault) => this.#close(() => this.onFault?.(fault))
  }

  /** Bytes that are not with the system yet. */
  get held(): number {
    return this.#waitingBytes + this.#block.at - this.#from + this.#stream.writableLength
  }

  get hasEnded(): boolean {
    return this.#isEnding || this.hasClosed
  }

  /** One line: `head`, a part of `buf`, and `tail`, whose last byte is LF. Leaves with the next `flush`. */
  add(head: Buffer, buf: Buffer, start: number, end: number, tail: Buffer): void {
    if (this.hasClosed) return
    const bytes = head.length + end - start + tail.length
    if (!this.#block.add(head, buf, start, end, tail)) {
      this.#turnOver(bytes)
      this.#block.add(head, buf, start, end, tail)
    }
    this.added += bytes
  }

  /** Hands on as much as the stream takes now. */
  flush(): void {
    while (this.#waiting.length > 0 && !this.#writer.isFull) {
      const block = this.#waiting.shift() as Block
      this.#waitingBytes -= block.at - this.#waitingFrom
      this.#given.push(block)
      this.#give(block, this.#waitingFrom)
      this.#waitingFrom = 0
    }
    if (this.#block.at > this.#from && !this.#writer.isFull) {
      const from = this.#from
      this.#from = this.#block.at
      this.#give(this.#block, from)
    }
    if (this.#isEnding && this.#from === this.#block.at && this.#waiting.length === 0) void this.#writer.end().then(this.#resolve)
  }

  /** Nothing is added any more; what waits still leaves. */
  end(): void {
    if (this.hasEnded) return
    this.#isEnding = true
    this.flush()
  }

  /** Nothing leaves any more. */
  destroy(): void {
    this.#stream.destroy()
    this.#close(() => {})
  }

  #give({ bytes, at }: Block, from: number): void {
    this.#writer.write(bytes, from, at - 1)
    this.#writer.flush()
    if (!this.#writer.isFull) this.#takeBack()
  }

  // All of it is with the system.
  #takeBack(): void {
    if (this.#keepsNothing) for (const block of this.#given) returnBlock(block)
    this.#given = []
    if (this.#from < this.#block.at || !this.#keepsNothing) return
    this.#block.clear()
    this.#from = 0
  }

  #turnOver(bytes: number): void {
    if (this.#block.at > this.#from) {
      if (this.#waiting.length === 0) this.#waitingFrom = this.#from
      this.#waiting.push(this.#block)
      this.#waitingBytes += this.#block.at - this.#from
    } else if (this.#block !== NONE) this.#given.push(this.#block)
    this.#block = takeBlock(bytes)
    this.#from = 0
  }

  #close(tell: () => void): void {
    if (this.hasClosed) return
    this.hasClosed = true
    this.#block = NONE
    this.#from = 0
    this.#waiting = []
    this.#given = []
    this.#waitingBytes = 0
    this.#resolve()
    tell()
    this.onRoom?.()
  }
}
