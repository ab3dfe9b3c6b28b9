// Data in an error text: short, on one line, without keys, and without anything that a terminal or a log would interpret, or that a person
// would not see.

import { once } from './once.js'
import { scrubHead } from './scrub.js'

/** At most `max` characters, the last of them `…` if something was cut. */
export const preview = (text: string, max = 60): string => {
  // Whole code points; two units each are enough for everything shown.
  const { head, isWhole } = scrubHead(text, 2 * max + 2)
  const shown = [...head].slice(0, max + 1).join('')
  const characters = [...escapeControls(shown)]
  return characters.length <= max && isWhole && shown.length === head.length
    ? characters.join('')
    : `${characters.slice(0, max - 1).join('')}…`
}

const SHORT = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

// Most text is, and needs none of the patterns below.
const PLAIN = /^[ -~]*$/
const PLAIN_LINES = /^[ -~\n\t]*$/

/**
 * The text as a person may read it before a decision: what a terminal obeys and what hides text is escaped as in JSON, so that JSON stays
 * the same value. Everything that shows the words of models and strangers goes through it.
 */
export const escapeControls = (text: string): string => (PLAIN.test(text) ? text : replaceHidden(text, escaped))

/** The same for a text of several lines, as a program shows it: line ends and tabs stay. */
export const escapeLines = (text: string): string =>
  PLAIN_LINES.test(text) ? text : replaceHidden(text, (c) => (c === '\n' || c === '\t' ? c : escaped(c)))

const escaped = (character: string): string =>
  SHORT.get(character) ?? character.split('').reduce((done, unit) => `${done}\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`, '')

// Compiled on first use, since that takes as long as loading a module.
const patterns = once(() => ({
  // Controls, line and paragraph separators, lone surrogates, marks of direction, what has no width or looks blank though it is a letter,
  // tags and variation selectors; and more marks over one letter than any script has, which would cover the lines around it.
  hidden: /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Cf}\u2800\u{1d159}]|(?<=\p{M}{8})\p{M}/gu,
  emoji: /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u,
  // Scripts in which a letter takes another form before or after another.
  joined: /(?![\p{scx=Zyyy}\p{scx=Zinh}\p{scx=Latn}\p{scx=Grek}\p{scx=Cyrl}\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}])[\p{L}\p{M}]/u,
}))

// Visible, though they are format characters.
const SIGNS_OF_NUMBERS = new Set([0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6dd, 0x70f, 0x890, 0x891, 0x8e2, 0x110bd, 0x110cd])

/** Replaces each character that would be obeyed or not be seen, but for those that a script or an emoji is written with. */
export const replaceHidden = (text: string, replace: (character: string) => string): string =>
  text.replace(patterns().hidden, (c: string, at: number) => (isWritten(c, text, at) ? c : replace(c)))

const isWritten = (character: string, text: string, at: number): boolean => {
  const { emoji, joined } = patterns()
  const before = lastOf(text.slice(Math.max(0, at - 2), at))
  const after = String.fromCodePoint(text.codePointAt(at + character.length) ?? 0)
  switch (character) {
    case '\u200c':
      return joined.test(before) && joined.test(after)
    case '\u200d':
      return (joined.test(before) && joined.test(after)) || (emoji.test(before) && /\p{Extended_Pictographic}/u.test(after))
    case '\ufe0e':
    case '\ufe0f':
      return /\p{Extended_Pictographic}/u.test(before) || (/[0-9#*]/.test(before) && after === '\u20e3')
    default: {
      const code = character.codePointAt(0) ?? 0
      if (code >= 0xe0100 && code <= 0xe01ef) return /\p{Script=Han}/u.test(before)
      if (code >= 0x180b && code <= 0x180f) return code !== 0x180e && /\p{Script=Mongolian}/u.test(before)
      return SIGNS_OF_NUMBERS.has(code)
    }
  }
}

const lastOf = (text: string): string => [...text].at(-1) ?? ''

/** At most so many UTF-16 units of it, and `…` for the rest; no half of a character. */
export const truncate = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`
