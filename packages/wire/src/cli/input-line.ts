// Messages about an executable's own input: what it reads, at a terminal, and what is wrong with a malformed line.

import { type Fault, fault } from '../error.js'
import { isTerminal } from '../fd/open.js'
import { checkJson } from '../json/parse.js'
import { preview } from '../preview.js'

export interface InputForm {
  /** As a user writes it. */
  readonly type: string
  /** A string has the type, so the user may have meant plain text. */
  readonly takesText: boolean
  /** Each line is text. */
  readonly isRaw: boolean
}

const MAX_SHOWN = 80
const MAX_TYPE = 120

/** If both ends are terminals, prints what is read and how to end it. */
export const announceInput = (program: string, { type, takesText, isRaw }: InputForm, write: (line: string) => void): void => {
  if (process.env.PLUMB_ERRORS === 'json' || !isTerminal(0) || !isTerminal(2)) return
  const json = `one JSON value a line, of type ${preview(type, MAX_TYPE)}${takesText ? ' (lines of plain text with -R)' : ''}`
  write(`${program}: reads ${isRaw ? 'lines of plain text' : json}, until Ctrl-D`)
}

/** Why `buf[start..end)` is not a JSON value, with its beginning and a remedy. Undefined: it is one. */
export const checkLine = (buf: Buffer, start: number, end: number, mayBeText: boolean, isLast = false): Fault | undefined => {
  const flaw = checkJson(buf, start, end, isLast)
  if (!flaw) return undefined
  const { error, category: _, detail, ...extras } = flaw
  const text = buf.toString('utf8', start, Math.min(end, start + 4 * MAX_SHOWN + 4))
  return fault(error, `${detail}, in: ${preview(text, MAX_SHOWN)}${helpFor(text, mayBeText)}`, extras)
}

const HELP = '; -R takes lines of plain text'

const helpFor = (text: string, mayBeText: boolean): string => {
  // Perhaps a part of a value that is written over several lines.
  if (/^\s*(?:[{}[\]]|"(?:[^"\\]|\\.)*"\s*:)/.test(text)) return "; a line is one value: 'jq -c .' writes each on a line of its own"
  return mayBeText ? HELP : ''
}

/** The error for a value of the wrong type, on a line that may have been meant as plain text. */
export const suggestRaw = (error: Fault, buf: Buffer, start: number, mayBeText: boolean): Fault => {
  const byte = buf[start] as number
  const isData = byte === 0x22 || byte === 0x5b || byte === 0x7b
  return mayBeText && !isData && error.error === 'input_type_mismatch' && error.path === ''
    ? { ...error, detail: error.detail + HELP }
    : error
}
