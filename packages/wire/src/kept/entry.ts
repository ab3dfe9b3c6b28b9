// One kept answer: its request, and its number among equal requests. The same text in a file of its own and as a line of many.

import { isRecord } from '../is-record.js'
import { scrub } from '../scrub.js'
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

/** One line, without its end and without keys. Its checksum detects a line that was cut or changed. */
export const writeEntry = ({ hash, place, nth, request, answer }: KeptEntry): string => {
  const entry = { hash, place, nth, ...(request === undefined ? {} : { request }), answer }
  const text = JSON.stringify(entry)
  const scrubbed = scrub(text)
  const sum = sumOf(scrubbed === text ? entry : (JSON.parse(scrubbed) as object))
  return `${scrubbed.slice(0, -1)},"sum":"${sum}"}`
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
  return isWhole && sum === sumOf(entry) ? (entry as unknown as KeptEntry) : undefined
}

const SUM_DIGITS = 16

const sumOf = (entry: object): string => hashOf(entry).slice(0, SUM_DIGITS)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
