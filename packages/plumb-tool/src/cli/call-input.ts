// The input of a call: all of standard input, or an argument, in the form that its tool takes.

import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { type Field, resolve, type Type } from '@plumb/lang'
import { fail, MAX_LINE, type Result, readBytes, succeed, systemReason } from '@plumb/wire'
import type { JsonText } from '../json-text.js'

/** A text unchanged; for a record with one required field, of type string, it is that field. `text` is its JSON. */
export const stringInput = (input: Type, text: JsonText): JsonText => {
  const needed = fieldsOf(input).filter(({ isOptional }) => !isOptional)
  const [only] = needed
  return only && needed.length === 1 && resolve(only.type).kind === 'string' ? `{${JSON.stringify(only.name)}:${text}}` : text
}

/** The tool can be called without input. */
export const canCheck = (input: Type): boolean =>
  fieldsOf(input).some(({ name, type }) => name === 'check' && resolve(type).kind === 'bool')

/** Of two members of one name the last one counts. */
export const withCheck = (input: JsonText): JsonText => {
  const inside = /^\s*\{(.*)\}\s*$/s.exec(input)?.[1]
  if (inside === undefined) return input
  return inside.trim() === '' ? '{"check":true}' : `{${inside},"check":true}`
}

const fieldsOf = (type: Type): readonly Field[] => {
  const resolved = resolve(type)
  return resolved.kind === 'record' ? resolved.fields : []
}

export const readAll = async (stream: Readable, maxBytes = MAX_LINE): Promise<Result<string>> => {
  try {
    const bytes = await readBytes(stream, maxBytes)
    if (bytes.length > maxBytes) return fail('line_too_long', `standard input is longer than ${maxBytes} bytes`)
    return isUtf8(bytes) ? succeed(bytes.toString()) : fail('invalid_utf8', 'standard input is not UTF-8')
  } catch (error) {
    return fail('read_failed', `cannot read standard input: ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}
