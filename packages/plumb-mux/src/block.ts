// Lines packed one after the other into a buffer.

import { hintMinorGc } from '@plumb/wire'

const NOTHING = Buffer.alloc(0)

/** The cost of copying a longer line is small in proportion to its length. */
const SHORT_BYTES = 4096
/** Bytes of a source that are mirrored at once. */
const MIRROR_BYTES = 64 * 1024

/** Twice what one read returns: room for a mirror and for envelopes. */
const BLOCK_BYTES = 128 * 1024
/** Enough to hold what may wait on one port. */
const MAX_SPARE_BLOCKS = 128

const spare: Block[] = []

/** Returns an empty block with room for at least `bytes`. */
export const acquireBlock = (bytes: number): Block => {
  const block = bytes <= BLOCK_BYTES ? spare.pop() : undefined
  if (block) return block
  const size = Math.max(BLOCK_BYTES, bytes)
  hintMinorGc(size)
  return new Block(size)
}

/** Keeps a block for later use. Blocks that have lived long are old garbage, which V8 is slow to collect. */
export const releaseBlock = (block: Block): void => {
  block.clear()
  if (block.bytes.length === BLOCK_BYTES && spare.length < MAX_SPARE_BLOCKS) spare.push(block)
}

/**
 * Copying a short line from another buffer takes four times as long as moving it within one. So when a second line comes from the same
 * source, the rest of that source is copied to the end of the buffer at once (the mirror), and its lines are moved from there into place.
 */
export class Block {
  readonly bytes: Buffer
  /** Bytes filled so far. */
  at = 0
  #source: Buffer = NOTHING
  /** `source[i]` is also in `bytes[i + shift]`, from the last line on up to `#mirrorEnd`. */
  #shift = 0
  #mirrorEnd = 0

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size)
  }

  /** Appends a line: `head`, `buf[start..end)`, `tail`. Returns false when there is no room for it. */
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

  clear(): void {
    this.at = 0
    this.#source = NOTHING
  }

  // Returns true when the line can be moved from the mirror without overwriting lines that are still to be moved.
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
