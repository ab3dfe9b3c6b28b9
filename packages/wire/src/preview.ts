// Data in an error text: short, on one line, and without anything that a terminal or a log would interpret.

/** At most `max` characters, the last of them `…` if something was cut. */
export const preview = (text: string, max = 60): string => {
  // Whole code points; two units each are enough for everything shown.
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

// Controls, line and paragraph separators, lone surrogates, and marks that change the direction of text. The expression is written inline
// and compiled on first use, since compiling it takes as long as loading a module.
export const escapeControls = (text: string): string =>
  PLAIN.test(text)
    ? text
    : text.replace(
        /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
        (c) => SHORT.get(c) ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )

/** The same for a text of several lines, as a program shows it: line ends and tabs stay. Values of JSON stay what they are. */
export const escapeLines = (text: string): string =>
  PLAIN.test(text)
    ? text
    : text
        .split(/([\n\t])/)
        .map((part) => (part === '\n' || part === '\t' ? part : escapeControls(part)))
        .join('')
