// One answer that is kept: to which request, and which of those that are equal. The same text in a file of its own and as a line of many.

import { isRecord } from '../is-record.js'
import { scrub } from '../scrub.js'
import { hashOf } from './canonical.js'

export interface EntryKey {
  /** Of the canonical request. */
  readonly hash: string
  /** Who asked, as `placeName` writes it. */
  readonly place: string
  /** Which of its equal requests in one run, from 1, in the order in which they were asked. */
  readonly nth: number
}

export interface KeptEntry extends EntryKey {
  readonly answer: unknown
  /** Kept where a miss is to tell which request is nearest. */
  readonly request?: unknown
}

const MAX_PLACE = 80

/** Of the process that asks: a name that a file may have as well. */
export const placeName = (place: string): string => place.replace(/[^\w.@~-]+/g, '_').slice(0, MAX_PLACE) || '_'

/** One line, without its end and without keys. Its checksum tells a line that was cut, or changed. */
export const writeEntry = ({ hash, place, nth, request, answer }: KeptEntry): string => {
  const entry = { hash, place, nth, ...(request === undefined ? {} : { request }), answer }
  const scrubbed = JSON.parse(scrub(JSON.stringify(entry))) as object
  return JSON.stringify({ ...scrubbed, sum: sumOf(scrubbed) })
}

/** Undefined: it is none, or not whole. */
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
