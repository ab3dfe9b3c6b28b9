// One kept answer: its request, and its number among equal requests. The same text in a file of its own and as a line of many.

import { createHash } from 'node:crypto'
import { isRecord, scrub } from '@plumb/wire'
import { hashOf } from './canonical.js'

export interface EntryKey {
  /** The hash of the canonical request. */
  readonly hash: string
  /** The process that asked, as `placeName` writes it. */
  readonly place: string
  /** Its number among equal requests of one run, from 1, in the order in which they were asked. */
  readonly nth: number
}

export interface KeptEntry extends EntryKey {
  readonly answer: unknown
  /** Kept where a miss should report the nearest request. */
  readonly request?: unknown
}

const MAX_PLACE = 80

/** The name of the asking process, in a form that is safe for file names. */
export const placeName = (place: string): string => place.replace(/[^\w.@~-]+/g, '_').slice(0, MAX_PLACE) || '_'

/**
 * One line, without its end and without keys. Its checksums detect a line that was cut or changed: `SUM-TEXT`, of the value, whatever its layout,
 * and of the text before it, which is faster to check.
 */
export const writeEntry = ({ hash, place, nth, request, answer }: KeptEntry): string => {
  const entry = { hash, place, nth, ...(request === undefined ? {} : { request }), answer }
  const text = JSON.stringify(entry)
  const scrubbed = scrub(text)
  const sum = sumOf(scrubbed === text ? entry : (JSON.parse(scrubbed) as object))
  const before = scrubbed.slice(0, -1)
  return `${before},"sum":"${sum}-${digitsOf(before)}"}`
}

export const isSameKey = (a: EntryKey, b: EntryKey): boolean => a.hash === b.hash && a.place === b.place && a.nth === b.nth

/** More than the key of any entry takes at the beginning of its line. */
export const MAX_HEAD_BYTES = 256

const HEAD = /^\{"hash":"([0-9a-f]{64})","place":"([\w.@~-]{1,80})","nth":(\d{1,15}),"/

/** Reads the key from the beginning of a line that `writeEntry` wrote; the rest of the line is not checked. */
export const readEntryHead = (text: string): EntryKey | undefined => {
  const [, hash, place, nth] = HEAD.exec(text) ?? []
  return hash === undefined || place === undefined ? undefined : { hash, place, nth: Number(nth) }
}

/** Undefined: not an entry, or incomplete. */
export const readEntry = (text: string): KeptEntry | undefined => {
  const value = parse(text)
  if (!isRecord(value)) return undefined
  const { sum, ...entry } = value
  const { hash, place, nth, answer } = entry
  const isWhole = typeof hash === 'string' && typeof place === 'string' && Number.isSafeInteger(nth) && answer !== undefined
  if (!isWhole || typeof sum !== 'string') return undefined
  return isAsWritten(text) || sum.slice(0, SUM_DIGITS) === sumOf(entry) ? (entry as unknown as KeptEntry) : undefined
}

const SUM_DIGITS = 16

const sumOf = (entry: object): string => hashOf(entry).slice(0, SUM_DIGITS)

const digitsOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, SUM_DIGITS)

const END = /^,"sum":"[0-9a-f]{16}-([0-9a-f]{16})"\}$/
const END_LENGTH = ',"sum":"-"}'.length + 2 * SUM_DIGITS

// An entry of an earlier release, or one that was laid out again, is not.
const isAsWritten = (text: string): boolean => {
  const digits = END.exec(text.slice(-END_LENGTH))?.[1]
  return digits !== undefined && digits === digitsOf(text.slice(0, -END_LENGTH))
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
