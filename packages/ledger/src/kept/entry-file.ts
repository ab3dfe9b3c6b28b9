// One file of entries: lists them by the index or by reading the file, and reads one entry.

import { closeSync, constants, readSync } from 'node:fs'
import { scanLines } from '@plumb/wire'
import { openOwnFile } from '@plumb/wire/output'
import { type EntryKey, isSameKey, type KeptEntry, MAX_HEAD_BYTES, readEntry, readEntryHead } from './entry.js'
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
    if (last && ![...samples, last].every((entry) => isOf(lineAt(fd, entry), entry))) {
      forget()
      end = 0
    }
    if (end === 0) this.#isIndexUsed = false
    const range = { from: end, to: this.#size, maxBytes: MAX_HEAD_BYTES }
    scanLines(fd, range, (line, offset, bytes) => {
      const key = bytes > MAX_ENTRY_BYTES ? undefined : (readEntryHead(line.toString('latin1')) ?? readEntry(lineAt(fd, { offset, bytes })))
      if (key) take({ hash: key.hash, nth: key.nth, place: key.place, offset, bytes })
      return true
    })
  }

  /** The whole hash of the entry at the span. Undefined: there is none, or it cannot be read. */
  hashAt(span: Pick<EntrySpan, 'offset' | 'bytes'>): string | undefined {
    try {
      return keyIn(lineAt(descriptorOf(this.#path), span))?.hash
    } catch {
      return undefined
    }
  }

  /** Undefined: the entry is damaged or cannot be read. `elsewhere`: the index was wrong, and the file is to be loaded again without it. */
  entryAt(span: EntrySpan): KeptEntry | 'elsewhere' | undefined {
    try {
      const line = lineAt(descriptorOf(this.#path), span)
      if (this.#isIndexUsed && !isOf(line, span)) {
        this.#isIndexUsed = false
        return 'elsewhere'
      }
      const entry = readEntry(line)
      return entry && isSameKey(entry, span) ? entry : undefined
    } catch {
      return undefined
    }
  }
}

const isPowerOfTwo = (n: number): boolean => (n & (n - 1)) === 0

const LF = 10

const keyIn = (line: string): EntryKey | undefined => readEntryHead(line) ?? readEntry(line)

const isOf = (line: string, span: EntrySpan): boolean => {
  const key = keyIn(line)
  return key !== undefined && isSameKey(key, span)
}

// Empty: no whole line is at the span.
const lineAt = (fd: number, { offset, bytes }: Pick<EntrySpan, 'offset' | 'bytes'>): string => {
  if (bytes > MAX_ENTRY_BYTES) return ''
  const before = offset === 0 ? 0 : 1
  const read = bytesAt(fd, offset - before, before + bytes + 1)
  if ((before > 0 && read[0] !== LF) || read[before + bytes] !== LF) return ''
  const line = read.toString('utf8', before, before + bytes)
  return line.includes('\n') ? '' : line
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
