// Lines packed one after the other into a buffer.

import { noteGarbage } from '@plumb/wire'

const NOTHING = Buffer.alloc(0)

/** Copying a longer line costs little, measured by its length. */
const SHORT_BYTES = 4096
/** So much of a source is mirrored at once. */
const MIRROR_BYTES = 64 * 1024

/** Twice what is read at once, so that it can be mirrored and grow. */
const BLOCK_BYTES = 128 * 1024
/** As many as hold what may wait on one port. */
const MOST_SPARE = 128

const spare: Block[] = []

/** One with room for so many bytes. */
export const takeBlock = (bytes: number): Block => {
  const block = bytes <= BLOCK_BYTES ? spare.pop() : undefined
  if (block) return block
  const size = Math.max(BLOCK_BYTES, bytes)
  noteGarbage(size)
  return new Block(size)
}

/** Nobody needs what is in it. Those that waited long would be garbage that V8 is slow to see. */
export const returnBlock = (block: Block): void => {
  block.clear()
  if (block.bytes.length === BLOCK_BYTES && spare.length < MOST_SPARE) spare.push(block)
}

/**
 * To copy a short line from another buffer takes four times as long as to move it within one. So when the second line comes from the same
 * source, what is left of that source is copied as a whole to the end of the buffer, and its lines are moved from there to where they belong.
 */
export class Block {
  readonly bytes: Buffer
  /** Filled so far. */
  at = 0
  #source: Buffer = NOTHING
  /** `source[i]` is in `bytes[i + shift]` too, from where the last line was to `#mirrorEnd`. */
  #shift = 0
  #mirrorEnd = 0

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size)
  }

  /** A line: `head`, a part of `buf`, `tail`. False: there is no room for it. */
  add(head: Buffer, buf: Buffer, start: number, end: number, tail: Buffer): boolean {
    const { bytes } = this
    const around = head.length + tail.length
    if (this.at + around + end - start > bytes.length) return false
    const isMirrored = end - start < SHORT_BYTES && this.#mirror(buf, start, end, around)
    let at = this.at
    for (let i = 0; i < head.length; i++) bytes[at++] = head[i] as number
    if (isMirrored) bytes.copyWithin(at, start + this.#shift, end + this.#shift)
    else buf.copy(bytes, at, start, end)
    at += end - start
    for (let i = 0; i < tail.length; i++) bytes[at++] = tail[i] as number
    this.at = at
    return true
  }

  /** Empty again. */
  clear(): void {
    this.at = 0
    this.#source = NOTHING
  }

  // Whether the line can be taken from the mirror, without writing over the lines behind it.
  #mirror(buf: Buffer, start: number, end: number, around: number): boolean {
    if (buf !== this.#source) {
      this.#source = buf
      this.#mirrorEnd = 0
      return false
    }
    const isThere = end <= this.#mirrorEnd && this.at + around <= start + this.#shift
    if (isThere) return true
    const bytes = Math.min(buf.length - start, MIRROR_BYTES)
    const place = this.bytes.length - bytes
    if (end - start > bytes || this.at + around > place) return false
    buf.copy(this.bytes, place, start, start + bytes)
    this.#shift = place - start
    this.#mirrorEnd = start + bytes
    return true
  }
}
