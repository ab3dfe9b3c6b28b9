// Strings at which programs go wrong: none, white space, what looks like something else,
// controls, and what Unicode has that is not a letter.

import type { Bounds } from './bounds.js'

const ODD = [
  ...['', 'a', ' ', '0', '-1', 'null', 'true', 'NaN', '__proto__'],
  ...['"', '\\', '\n', 'a\r\nb\t', '\u0000', '\u001b[31m', '\u007f', ' a '],
  // Composed and not; three letters of one word that are longer in capitals, or have another size in each encoding.
  ...['é', 'e\u0301', 'ß', 'İ', '漢字', 'مرحبا'],
  // One sign of several code points; a mark that turns the direction; one that is not seen; a line end that JavaScript knows; half a pair.
  ...['\u{1F600}', '\u{1F468}\u200d\u{1F469}', '\u202eabc', '\ufeff', '\u2028', '\ud800'],
  ...['<b>&amp;</b>', "'; --", '{x}', '$(x)', '../x', '-x'],
]

const LONG = 5000
/** A limit above that is not tried. */
const MAX_LENGTH = 100_000

/** Those of an allowed number of code points, the shortest allowed first; shorter ones are made longer and longer ones are cut. */
export const textEdges = ({ least, most }: Bounds): readonly string[] => {
  const fitted = ODD.map((text) => fit(text, least, most))
  const long = 'x'.repeat(Math.min(most, Math.max(LONG, least)))
  const full = most <= MAX_LENGTH ? ['x'.repeat(most), '\u{1F600}'.repeat(most)] : []
  const longer = least > 0 && least < most ? ['x'.repeat(least + 1)] : []
  return [...new Set(['a'.repeat(least), ...fitted, ...longer, ...full, long])]
}

const fit = (text: string, least: number, most: number): string => {
  const points = [...text]
  if (points.length > most) return points.slice(0, most).join('')
  return points.length < least ? text + 'x'.repeat(least - points.length) : text
}
