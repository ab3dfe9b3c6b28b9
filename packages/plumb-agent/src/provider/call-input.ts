// The input of a call, as a model wrote it: a value, and its text where a double cannot hold what stands there.

import type { Json } from '@plumb/lang'
import { canonicalJson } from '@plumb/wire'
import { readJson } from './http/json-path.js'

// A type and no interface, so that a block with it is JSON.
export type CallInput = {
  readonly input: Json
  /** The same as it was written, where a number of it has more digits than a double. */
  readonly json?: string
}

/** { "invalid_json": TEXT } where it is no JSON: the tool says what is wrong with that. */
export const readCallInput = (text: string): CallInput => {
  if (text.trim() === '') return { input: {} }
  const read = readJson(text)
  if (!read.ok) return { input: { invalid_json: text } }
  const input = read.value as Json
  return { input, ...(losesDigits(text, input) ? { json: text } : {}) }
}

/** As JSON text. */
export const inputText = ({ input, json }: CallInput): string => json ?? JSON.stringify(input)

/** Of a memory that was set: `json` counts where it says what `input` does. */
export const withWritten = (input: Json, json: string | undefined): CallInput => {
  const read = json === undefined ? undefined : readJson(json)
  const isSame = json !== undefined && read?.ok && canonicalOf(read.value as Json) === canonicalOf(input)
  return { input, ...(isSame ? { json } : {}) }
}

// What has neither many digits nor an exponent is in a double as it is written.
const losesDigits = (text: string, input: Json): boolean => /[\d.]{16}|\d[eE]/.test(text) && canonicalJson(text) !== canonicalOf(input)

const canonicalOf = (value: Json): string => canonicalJson(JSON.stringify(value))
