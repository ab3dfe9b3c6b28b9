// The arguments of a call, as a model wrote them.

import type { Json } from '@plumb/lang'
import { readJson } from '../http/json-path.js'
import { asJson } from '../protocol.js'

/** { "invalid_json": TEXT } where they are no JSON: the tool says what is wrong with that. */
export const readArguments = (text: string): Json => {
  if (text.trim() === '') return {}
  const read = readJson(text)
  return read.ok ? asJson(read.value) : { invalid_json: text }
}
