// The index of a file of entries: a line for each, `HASH NTH OFFSET BYTES PLACE CHECK`. The file is the authority: the index is used up to
// the first line that is damaged, or whose entry does not follow the one before it.

import { closeSync, constants, fstatSync } from 'node:fs'
import { scanLines } from '@plumb/wire'
import { openOwnFile } from '@plumb/wire/output'
import type { EntryKey } from './entry.js'

/** An entry and its line in the file, without the line end. */
export interface EntrySpan extends EntryKey {
  readonly offset: number
  readonly bytes: number
}

export const entryLine = ({ hash, nth, place, offset, bytes }: EntrySpan): string => {
  const text = `${hash} ${nth} ${offset} ${bytes} ${place}`
  return `${text} ${checkOf(text)}\n`
}

/** A place has at most 80 characters. */
const MAX_LINE_BYTES = 1024

/**
 * Calls `take` for each indexed entry of a file of `size` bytes, in order, and returns the offset of the first entry that is not indexed. It
 * stops at a line that is damaged, written by another version, or beyond `size`. Throws read errors.
 */
export const readEntryIndex = (path: string, size: number, take: (entry: EntrySpan) => void): number => {
  let end = 0
  const fd = openIndex(path)
  if (fd === undefined) return end
  try {
    scanLines(fd, { from: 0, to: fstatSync(fd).size, maxBytes: MAX_LINE_BYTES }, (line) => {
      const entry = readIndexLine(line.toString('latin1'))
      if (!entry || entry.offset !== end || entry.offset + entry.bytes >= size) return false
      end = entry.offset + entry.bytes + 1
      take(entry)
      return true
    })
  } finally {
    closeSync(fd)
  }
  return end
}

// An index that cannot be opened counts as missing: the file is read instead.
const openIndex = (path: string): number | undefined => {
  try {
    return openOwnFile(path, constants.O_RDONLY)
  } catch {
    return undefined
  }
}

const LINE = /^([0-9a-f]{64}) (\d{1,15}) (\d{1,15}) (\d{1,9}) (\S+) ([0-9a-f]{8})$/

const readIndexLine = (line: string): EntrySpan | undefined => {
  const [, hash, nth, offset, bytes, place, check] = LINE.exec(line) ?? []
  if (hash === undefined || place === undefined || check === undefined) return undefined
  if (check !== checkOf(line.slice(0, -check.length - 1))) return undefined
  return { hash, nth: Number(nth), place, offset: Number(offset), bytes: Number(bytes) }
}

const CHECK_DIGITS = 8

/** FNV-1a, 32 bits: detects accidental changes. */
const checkOf = (text: string): string => {
  let sum = 0x811c9dc5
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193)
  return (sum >>> 0).toString(16).padStart(CHECK_DIGITS, '0')
}
