// Colour and weight of text on a terminal (SGR of ECMA-48), by what a text is and not by how it looks.

import { escapeLines } from '../preview.js'
import { scrub } from '../scrub.js'

export type Style = 'error' | 'warning' | 'help' | 'good' | 'dim' | 'bold'

/** Parts of a text; one without a style is plain. */
export type Styled = readonly (string | readonly [Style, string])[]

/** Distinct on light and dark backgrounds. */
const CODES: Readonly<Record<Style, string>> = { error: '1;31', warning: '33', help: '36', good: '32', dim: '2', bold: '1' }

/** NO_COLOR turns styles off unless it is empty (https://no-color.org). */
export const hasStyles = (isTerminal: boolean, { NO_COLOR = '', TERM = '' }: NodeJS.ProcessEnv = process.env): boolean =>
  isTerminal && NO_COLOR === '' && TERM !== 'dumb' && TERM !== ''

/** The text with what a terminal obeys or hides escaped, without keys, and with its styles if `isStyled`. */
export const styledText = (text: string | Styled, isStyled: boolean): string => {
  if (typeof text === 'string') return clean(text)
  if (!isStyled) return clean(text.map((part) => (typeof part === 'string' ? part : part[1])).join(''))
  return text.map((part) => (typeof part === 'string' ? clean(part) : paint(part[0], clean(part[1])))).join('')
}

/** `text` is clean already. */
export const paint = (style: Style, text: string): string => (text === '' ? '' : sgr(CODES[style], text))

export const sgr = (code: number | string, text: string): string => `\x1b[${code}m${text}\x1b[0m`

/** What a terminal obeys or hides is escaped, and keys are left out. */
export const clean = (text: string): string => scrub(escapeLines(text))
