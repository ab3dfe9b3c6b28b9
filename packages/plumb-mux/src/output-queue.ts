// One outgoing stream: its lines in order, packed into blocks while the stream is full.
//
//   state    add      flush                                            end         reader gone, destroy
//   open     queues   writes what the stream accepts                   → ending    → closed
//   ending   –        the same; when nothing is left, ends the stream  –           → closed
//   closed   drops    –                                                –           –

import { Socket } from 'node:net'
import { type Fault, type LineSink, LineWriter } from '@plumb/wire'
import { acquireBlock, Block, releaseBlock } from './block.js'

export interface OutputQueueListeners {
  /** Some of the queued bytes have been written, or the queue has closed. */
  readonly onRoom?: () => void
  /** The reader has closed; lines that are added later are dropped. */
  readonly onClosed?: (() => void) | undefined
  readonly onFault?: (fault: Fault) => void
}

const EMPTY = new Block(0)

export class OutputQueue {
  /** Bytes added so far. */
  added = 0
  /** Resolves when all was written, or the queue has closed. */
  readonly ended: Promise<void>

  readonly #stream: LineSink
  readonly #writer: LineWriter
  readonly #listeners: OutputQueueListeners
  /** True for descriptors: they are done with a block once it is written. Other streams may keep references to it. */
  readonly #canReuseBlocks: boolean
  #state: 'open' | 'ending' | 'closed' = 'open'
  #block = EMPTY
  /** Where the unwritten lines of the block begin. */
  #from = 0
  /** Full blocks with unwritten lines, where these begin in the first block, and their bytes. */
  #waiting: Block[] = []
  #waitingFrom = 0
  #waitingBytes = 0
  /** Blocks that the stream may still need. */
  #inUse: Block[] = []
  #resolveEnded: () => void = () => {}

  constructor(stream: LineSink, listeners: OutputQueueListeners = {}) {
    this.#stream = stream
    this.#listeners = listeners
    this.#canReuseBlocks = typeof (stream as { fd?: unknown }).fd === 'number' || stream instanceof Socket
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve
    })
    // Full as soon as anything waits: short lines are packed here, not kept one by one in the stream.
    this.#writer = new LineWriter(stream, {
      fullBytes: 0,
      onDrain: () => {
        this.#reclaimBlocks()
        this.flush()
        listeners.onRoom?.()
      },
      onClosed: () => this.#close(() => listeners.onClosed?.()),
      onFault: (fault) => this.#close(() => listeners.onFault?.(fault)),
    })
  }

  /** Bytes that the system has not accepted yet. */
  get queuedBytes(): number {
    return this.#waitingBytes + this.#block.at - this.#from + this.#stream.writableLength
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  get isClosed(): boolean {
    return this.#state === 'closed'
  }

  /** Queues one line: `head`, `buf[start..end)`, and `tail`, whose last byte is LF. It is written with the next `flush`. */
  add(head: Buffer, buf: Buffer, start: number, end: number, tail: Buffer): void {
    if (this.isClosed) return
    const bytes = head.length + end - start + tail.length
    if (!this.#block.add(head, buf, start, end, tail)) {
      this.#startBlock(bytes)
      this.#block.add(head, buf, start, end, tail)
    }
    this.added += bytes
  }

  /** Writes as much as the stream accepts now. */
  flush(): void {
    while (this.#waiting.length > 0 && !this.#writer.isFull) {
      const block = this.#waiting.shift() as Block
      this.#waitingBytes -= block.at - this.#waitingFrom
      this.#inUse.push(block)
      this.#write(block, this.#waitingFrom)
      this.#waitingFrom = 0
    }
    if (this.#block.at > this.#from && !this.#writer.isFull) {
      const from = this.#from
      this.#from = this.#block.at
      this.#write(this.#block, from)
    }
    const isEmpty = this.#from === this.#block.at && this.#waiting.length === 0
    if (this.#state === 'ending' && isEmpty) void this.#writer.end().then(this.#resolveEnded)
  }

  /** Accepts no more lines; those that are queued are still written. */
  end(): void {
    if (!this.isOpen) return
    this.#state = 'ending'
    this.flush()
  }

  /** Drops what is queued. Calls no listener but `onRoom`. */
  destroy(): void {
    this.#stream.destroy()
    this.#close(() => {})
  }

  #write({ bytes, at }: Block, from: number): void {
    this.#writer.write(bytes, from, at - 1)
    this.#writer.flush()
    if (!this.#writer.isFull) this.#reclaimBlocks()
  }

  // The system has accepted all that was written.
  #reclaimBlocks(): void {
    if (this.#canReuseBlocks) for (const block of this.#inUse) releaseBlock(block)
    this.#inUse = []
    if (this.#from < this.#block.at || !this.#canReuseBlocks) return
    this.#block.clear()
    this.#from = 0
  }

  #startBlock(bytes: number): void {
    if (this.#block.at > this.#from) {
      if (this.#waiting.length === 0) this.#waitingFrom = this.#from
      this.#waiting.push(this.#block)
      this.#waitingBytes += this.#block.at - this.#from
    } else if (this.#block !== EMPTY) this.#inUse.push(this.#block)
    this.#block = acquireBlock(bytes)
    this.#from = 0
  }

  #close(notify: () => void): void {
    if (this.isClosed) return
    this.#state = 'closed'
    this.#block = EMPTY
    this.#from = 0
    this.#waiting = []
    this.#inUse = []
    this.#waitingBytes = 0
    this.#resolveEnded()
    notify()
    this.#listeners.onRoom?.()
  }
}
