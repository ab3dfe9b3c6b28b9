// One file of entries: lists them by the index or by reading the file, and reads one entry.

import { closeSync, constants, readSync } from 'node:fs'
import { scanLines } from '../line/scan-lines.js'
import { openOwnFile } from '../output/index.js'
import { isSameKey, type KeptEntry, MAX_HEAD_BYTES, readEntry, readEntryHead } from './entry.js'
import { type EntrySpan, readEntryIndex } from './entry-index.js'
import { MAX_ENTRY_BYTES } from './store.js'

export class EntryFile {
  readonly #path: string
  readonly #index: string
  /** Of the file when it was opened; its writer may have appended more since. */
  readonly #size: number
  #isIndexUsed = true

  /** `base`: the path of both files without their extension. */
  constructor(base: string, size: number) {
    this.#path = `${base}.jsonl`
    this.#index = `${base}.index`
    this.#size = size
  }

  /** Calls `take` for each entry, in order; after `forget` it starts over from the first. Throws read errors. */
  load(take: (entry: EntrySpan) => void, forget: () => void): void {
    const fd = descriptorOf(this.#path)
    const samples: EntrySpan[] = []
    let count = 0
    let last: EntrySpan | undefined
    let end = this.#isIndexUsed
      ? readEntryIndex(this.#index, this.#size, (entry) => {
          last = entry
          if (isPowerOfTwo(++count)) samples.push(entry)
          take(entry)
        })
      : 0
    // The index of another file names other entries.
    if (last && ![...samples, last].every((entry) => standsAt(fd, entry))) {
      forget()
      end = 0
    }
    if (end === 0) this.#isIndexUsed = false
    const range = { from: end, to: this.#size, maxBytes: MAX_HEAD_BYTES }
    scanLines(fd, range, (line, offset, bytes) => {
      const key = bytes > MAX_ENTRY_BYTES ? undefined : (readEntryHead(line.toString('latin1')) ?? readEntry(textAt(fd, offset, bytes)))
      if (key) take({ hash: key.hash, nth: key.nth, place: key.place, offset, bytes })
      return true
    })
  }

  /** The whole hash of the entry at the span. Undefined: there is none, or it cannot be read. */
  hashAt({ offset, bytes }: Pick<EntrySpan, 'offset' | 'bytes'>): string | undefined {
    try {
      const fd = descriptorOf(this.#path)
      const head = bytesAt(fd, offset, Math.min(bytes, MAX_HEAD_BYTES)).toString('latin1')
      return (readEntryHead(head) ?? readEntry(textAt(fd, offset, bytes)))?.hash
    } catch {
      return undefined
    }
  }

  /** Undefined: the entry is damaged or cannot be read. `elsewhere`: the index was wrong, and the file is to be loaded again without it. */
  entryAt(span: EntrySpan): KeptEntry | 'elsewhere' | undefined {
    try {
      const fd = descriptorOf(this.#path)
      if (this.#isIndexUsed && !standsAt(fd, span)) {
        this.#isIndexUsed = false
        return 'elsewhere'
      }
      const entry = readEntry(textAt(fd, span.offset, span.bytes))
      return entry && isSameKey(entry, span) ? entry : undefined
    } catch {
      return undefined
    }
  }
}

const isPowerOfTwo = (n: number): boolean => (n & (n - 1)) === 0

const LF = 10

// Whether a whole line with this key is at the span.
const standsAt = (fd: number, span: EntrySpan): boolean => {
  const { offset, bytes } = span
  const from = Math.max(0, offset - 1)
  const head = bytesAt(fd, from, Math.min(bytes, MAX_HEAD_BYTES) + offset - from)
  const end = bytesAt(fd, offset + bytes, 1)
  const key = readEntryHead(head.toString('latin1', offset - from)) ?? readEntry(textAt(fd, offset, bytes))
  return (offset === 0 || head[0] === LF) && end[0] === LF && key !== undefined && isSameKey(key, span)
}

const textAt = (fd: number, offset: number, bytes: number): string => {
  const text = bytes > MAX_ENTRY_BYTES ? '' : bytesAt(fd, offset, bytes).toString('utf8')
  return text.includes('\n') ? '' : text
}

const SCRATCH_BYTES = 64 * 1024
let scratch: Buffer | undefined

// The result is valid until the next call, and shorter at the end of the file.
const bytesAt = (fd: number, offset: number, bytes: number): Buffer => {
  scratch ??= Buffer.allocUnsafeSlow(SCRATCH_BYTES)
  const buffer = bytes <= SCRATCH_BYTES ? scratch : Buffer.allocUnsafe(bytes)
  return buffer.subarray(0, readSync(fd, buffer, 0, bytes, offset))
}

let opened: { readonly path: string; readonly fd: number } | undefined

// The last file stays open, since entries are mostly read in order.
const descriptorOf = (path: string): number => {
  if (opened?.path === path) return opened.fd
  if (opened) closeSync(opened.fd)
  opened = undefined
  opened = { path, fd: openOwnFile(path, constants.O_RDONLY) }
  return opened.fd
}
