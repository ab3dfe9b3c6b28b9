// Parses one line to a value, for control channels and configuration; the data path has scanners of its own.

import { type Fault, fault } from '../error.js'
import { preview } from '../preview.js'
import type { Result } from '../result.js'
import { type Flaw, findFlaw } from './flaw.js'
import { skipValue } from './skip.js'

/** `buf[start..end)` must be UTF-8. With `isLast`, a text that ends too soon is a `truncated_line`, else `invalid_json`. */
export const parseJson = (buf: Buffer, start: number, end: number, isLast = false): Result<unknown> => {
  const error = checkJson(buf, start, end, isLast)
  return error ? { ok: false, error } : { ok: true, value: JSON.parse(buf.toString('utf8', start, end)) }
}

/** As `parseJson`, for callers that pass the bytes on: returns only the fault, if any. */
export const checkJson = (buf: Buffer, start: number, end: number, isLast = false): Fault | undefined => {
  if (skipValue(buf, start, 0) === end) return undefined
  const flaw = findFlaw(buf, start, end)
  return flaw && describeFlaw(flaw, buf, start, end, isLast)
}

const describeFlaw = ({ code, at, reason, isCut }: Flaw, buf: Buffer, start: number, end: number, isLast: boolean): Fault => {
  if (isCut && isLast) return fault('truncated_line', `the input ended inside a value: ${reason}`)
  const place = isCut ? 'at its end' : `at byte ${at - start + 1}`
  const found = isCut ? '' : `, found ${preview(JSON.stringify(firstCharacter(buf, at, end)))}`
  return fault(code, code === 'too_deep' ? reason : `not JSON ${place}: ${reason}${found}`)
}

const firstCharacter = (buf: Buffer, at: number, end: number): string =>
  String.fromCodePoint(buf.toString('utf8', at, Math.min(at + 4, end)).codePointAt(0) ?? 0)

/** Whether `JSON.parse` takes it. */
export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
