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
  const scrubbed = JSON.parse(scrub(JSON.stringify(entry))) as object
  return JSON.stringify({ ...scrubbed, sum: sumOf(scrubbed) })
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
