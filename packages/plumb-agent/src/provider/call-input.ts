// The input of a call, as a model wrote it: a value, and its text if a double cannot represent it.

import type { Json } from '@plumb/lang'
import { canonicalJson } from '@plumb/wire'
import { readJson } from './http/json-path.js'

// A type, not an interface, so that a block with it is JSON.
export type CallInput = {
  readonly input: Json
  /** The original text, if a number in it has more digits than a double. */
  readonly json?: string
}

/** { "invalid_json": TEXT } if it is not JSON: the tool reports what is wrong with it. */
export const readCallInput = (text: string): CallInput => {
  if (text.trim() === '') return { input: {} }
  const read = readJson(text)
  if (!read.ok) return { input: { invalid_json: text } }
  const input = read.value as Json
  return { input, ...(losesDigits(text, input) ? { json: text } : {}) }
}

/** As JSON text. */
export const inputText = ({ input, json }: CallInput): string => json ?? JSON.stringify(input)

/** For a memory that was set: `json` counts if it has the same value as `input`. */
export const withWritten = (input: Json, json: string | undefined): CallInput => {
  const read = json === undefined ? undefined : readJson(json)
  const isSame = json !== undefined && read?.ok && canonicalOf(read.value as Json) === canonicalOf(input)
  return { input, ...(isSame ? { json } : {}) }
}

// A number with few digits and no exponent is exact as a double.
const losesDigits = (text: string, input: Json): boolean => /[\d.]{16}|\d[eE]/.test(text) && canonicalJson(text) !== canonicalOf(input)

const canonicalOf = (value: Json): string => canonicalJson(JSON.stringify(value))
