// A JSON value as it was written: a piece of bytes known to be valid. Parts are found by stepping over the others, never by
// building objects.

import { preview } from '@plumb/wire/preview'
import { space, stringRest, value } from '../../scan/scan-json.js'
import { fail, type Site } from './failure.js'

export class Slice {
  constructor(
    readonly buf: Buffer,
    readonly start: number,
    readonly end: number,
  ) {}
}

/** What an expression holds while it is at work: a value that was computed, or a piece of text that is only moved. */
export type RuntimeValue = string | number | boolean | null | Slice

/** A field name with its UTF-8 bytes. */
export interface Key {
  readonly text: string
  readonly bytes: Uint8Array
}

export const keyOf = (text: string): Key => ({ text, bytes: Buffer.from(text) })

// A message may be nested 512 deep and the expression nests it deeper, while the scanners begin to refuse at 500.
const DEPTH = -1000

/** The last of that name, as plumb-wire(5) has it for repeated keys; undefined when there is none or `value` is no object. */
export const peek = (value: RuntimeValue | undefined, key: Key): Slice | undefined => {
  if (!(value instanceof Slice) || value.buf[value.start] !== 123) return undefined
  let found: Slice | undefined
  eachMember(value, (buf, keyStart, keyEnd, start, end) => {
    if (isKey(buf, keyStart, keyEnd, key)) found = new Slice(buf, start, end)
  })
  return found
}

export const fieldIn = (value: RuntimeValue, key: Key, site: Site): Slice => {
  const found = peek(value, key)
  if (found) return found
  const isObject = value instanceof Slice && value.buf[value.start] === 123
  return fail(site, isObject ? `there is no field '${key.text}'` : `${describe(value)} has no fields`)
}

export const itemIn = (value: RuntimeValue, at: number, site: Site): Slice => {
  if (!(value instanceof Slice) || value.buf[value.start] !== 91) return fail(site, `${describe(value)} has no items`)
  let found: Slice | undefined
  const count = eachItem(value, (buf, start, end, i) => {
    if (i === at) found = new Slice(buf, start, end)
  })
  return found ?? fail(site, `there is no item ${at} in a list of ${count}`)
}

type Item = (buf: Buffer, start: number, end: number, index: number) => void
type Member = (buf: Buffer, keyStart: number, keyEnd: number, start: number, end: number) => void

/** `list` is an array; gives the number of its items. */
export const eachItem = (list: Slice, visit: Item): number => {
  const { buf } = list
  let i = space(buf, list.start + 1)
  if (buf[i] === 93) return 0
  for (let count = 0; ; ) {
    const end = value(buf, i, DEPTH)
    visit(buf, i, end, count++)
    i = space(buf, end)
    if (buf[i] !== 44) return count
    i = space(buf, i + 1)
  }
}

/** `record` is an object; keys are given without their quotes, with their escapes. */
export const eachMember = (record: Slice, visit: Member): void => {
  const { buf } = record
  let i = space(buf, record.start + 1)
  while (buf[i] === 34) {
    const keyStart = i + 1
    const keyEnd = stringRest(buf, keyStart) - 1
    const start = space(buf, space(buf, keyEnd + 1) + 1)
    const end = value(buf, start, DEPTH)
    visit(buf, keyStart, keyEnd, start, end)
    i = space(buf, end)
    if (buf[i] !== 44) return
    i = space(buf, i + 1)
  }
}

/** The values of an object by their keys, in the order of their first mention; of several values for one key the last. */
export const membersOf = (record: Slice): Map<string, Slice> => {
  const members = new Map<string, Slice>()
  eachMember(record, (buf, keyStart, keyEnd, start, end) => members.set(stringAt(buf, keyStart, keyEnd), new Slice(buf, start, end)))
  return members
}

const isKey = (buf: Buffer, start: number, end: number, { text, bytes }: Key): boolean => {
  // Escapes only lengthen.
  if (end - start < bytes.length) return false
  if (end - start === bytes.length) {
    let i = 0
    while (i < bytes.length && buf[start + i] === bytes[i]) i++
    if (i === bytes.length) return true
  }
  for (let i = start; i < end; i++) if (buf[i] === 92) return stringAt(buf, start, end) === text
  return false
}

/** What a string says; its quotes are outside of the range. */
export const stringAt = (buf: Buffer, start: number, end: number): string => {
  const text = buf.toString('utf8', start, end)
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text
}

/** For messages: what kind of value, with a preview of a short one. */
export const describe = (value: RuntimeValue): string => {
  const text =
    value instanceof Slice ? value.buf.toString('utf8', value.start, Math.min(value.end, value.start + 80)) : JSON.stringify(value)
  if (text[0] === '{') return 'an object'
  if (text[0] === '[') return 'a list'
  return preview(text, 30)
}
