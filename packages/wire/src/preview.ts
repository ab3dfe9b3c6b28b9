// Data in an error text: short, on one line, and without anything that a terminal or a log would obey.

/** At most `max` characters, the last of them `…` where something was cut. */
export const preview = (text: string, max = 60): string => {
  // Whole code points; two units each are enough for all that can be shown.
  const head = [...text.slice(0, 2 * max + 2)].slice(0, max + 1).join('')
  const characters = [...escapeControls(head)]
  return characters.length <= max && head.length === text.length ? characters.join('') : `${characters.slice(0, max - 1).join('')}…`
}

const SHORT = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

const PLAIN = /^[ -~]*$/

// Controls, line and paragraph separators, lone surrogates, and the marks that turn the direction of text. The expression stands where it
// is used, and is used where it has to be: to make it takes as long as to load a module.
export const escapeControls = (text: string): string =>
  PLAIN.test(text)
    ? text
    : text.replace(
        /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
        (c) => SHORT.get(c) ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )

/** The same of a text of several lines, as a program shows it: line ends and tabs stay. Of JSON the values stay what they are. */
export const escapeLines = (text: string): string =>
  PLAIN.test(text)
    ? text
    : text
        .split(/([\n\t])/)
        .map((part) => (part === '\n' || part === '\t' ? part : escapeControls(part)))
        .join('')
