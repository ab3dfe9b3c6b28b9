// A JSON value as text: a range of valid bytes. Parts are found by skipping the others, never by building objects.

import { eachItem, eachMember } from '@plumb/wire/json'
import { preview } from '@plumb/wire/preview'
import { failEvaluation, type Site } from './failure.js'

export class Slice {
  constructor(
    readonly buf: Buffer,
    readonly start: number,
    readonly end: number,
  ) {}
}

/** A value during an evaluation: computed, or a piece of text that is only moved. */
export type RuntimeValue = string | number | boolean | null | Slice

/** JSON text as a piece of bytes; a byte follows it, at which every scan stops. */
export const sliceOf = (text: string): Slice => {
  const bytes = Buffer.from(`${text}\0`)
  return new Slice(bytes, 0, bytes.length - 1)
}

/** The value of JSON text: a number keeps its digits. */
export const valueOfText = (json: string): RuntimeValue => (/^["tfn]/.test(json) ? (JSON.parse(json) as RuntimeValue) : sliceOf(json))

/** A field name with its UTF-8 bytes. */
export interface FieldKey {
  readonly text: string
  readonly bytes: Uint8Array
}

export const keyOf = (text: string): FieldKey => ({ text, bytes: Buffer.from(text) })

/** The last of that name, as plumb-wire(5) specifies for repeated keys. Undefined: there is none or `value` is not an object. */
export const peek = (value: RuntimeValue | undefined, key: FieldKey): Slice | undefined => {
  if (!(value instanceof Slice) || value.buf[value.start] !== 123) return undefined
  const { buf } = value
  let found: Slice | undefined
  eachMember(buf, value.start, (keyStart, keyEnd, start, end) => {
    if (isKey(buf, keyStart, keyEnd, key)) found = new Slice(buf, start, end)
  })
  return found
}

/** The same under `??`: what is neither an object nor null has no fields. */
export const peekIn = (value: RuntimeValue | undefined, key: FieldKey, site: Site): Slice | undefined => {
  const there = present(value)
  if (there === undefined || isObject(there)) return peek(there, key)
  return failEvaluation(site, `${describe(there)} has no fields`)
}

/** Undefined: absent, null, or not in the list. */
export const peekItem = (value: RuntimeValue | undefined, at: number, site: Site): Slice | undefined => {
  const there = present(value)
  if (there === undefined) return undefined
  if (!(there instanceof Slice) || there.buf[there.start] !== 91) return failEvaluation(site, `${describe(there)} has no items`)
  let found: Slice | undefined
  eachItem(there.buf, there.start, (start, end, i) => {
    if (i === at) found = new Slice(there.buf, start, end)
  })
  return found
}

/** Undefined where it is null. */
export const present = (value: RuntimeValue | undefined): RuntimeValue | undefined =>
  value === null || (value instanceof Slice && value.buf[value.start] === 110) ? undefined : value

const isObject = (value: RuntimeValue): boolean => value instanceof Slice && value.buf[value.start] === 123

export const fieldIn = (value: RuntimeValue, key: FieldKey, site: Site): Slice => {
  const found = peek(value, key)
  if (found) return found
  return failEvaluation(site, isObject(value) ? `there is no field '${key.text}'` : `${describe(value)} has no fields`)
}

export const itemIn = (value: RuntimeValue, at: number, site: Site): Slice => {
  if (!(value instanceof Slice) || value.buf[value.start] !== 91) return failEvaluation(site, `${describe(value)} has no items`)
  const { buf } = value
  let found: Slice | undefined
  const count = eachItem(buf, value.start, (start, end, i) => {
    if (i === at) found = new Slice(buf, start, end)
  })
  return found ?? failEvaluation(site, `there is no item ${at} in a list of ${count}`)
}

/** The values of an object by their keys, in the order of first occurrence; of several values for one key the last. */
export const membersOf = ({ buf, start }: Slice): Map<string, Slice> => {
  const members = new Map<string, Slice>()
  eachMember(buf, start, (keyStart, keyEnd, start, end) => members.set(stringAt(buf, keyStart, keyEnd), new Slice(buf, start, end)))
  return members
}

const isKey = (buf: Buffer, start: number, end: number, { text, bytes }: FieldKey): boolean => {
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

/** The content of a string; its quotes are outside of the range. */
export const stringAt = (buf: Buffer, start: number, end: number): string => {
  const text = buf.toString('utf8', start, end)
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text
}

/** For messages: the kind of a value, with a preview of a short one. */
export const describe = (value: RuntimeValue): string => {
  const text =
    value instanceof Slice ? value.buf.toString('utf8', value.start, Math.min(value.end, value.start + 80)) : JSON.stringify(value)
  if (text[0] === '{') return 'an object'
  if (text[0] === '[') return 'a list'
  return preview(text, 30)
}

/** The bounds of a slice `[at:]` or `[:at]` of `count` items: negative from the end, and clamped to the list. */
export const boundOf = (at: number, count: number): number => Math.min(Math.max(at < 0 ? at + count : at, 0), count)
