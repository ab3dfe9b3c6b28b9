// How much room a text takes on a terminal, and where it may be broken.

import { once } from '../once.js'

const PLAIN = /^[ -~]*$/

// Compiled on first use: few texts need them.
const known = once(() => ({
  segmenter: new Intl.Segmenter(),
  // East Asian Wide and Fullwidth, and what is drawn as a picture.
  wide: /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{1fa70}-\u{1faff}\u{20000}-\u{3fffd}]|\ufe0f|\p{Emoji_Presentation}/u,
}))

/** In cells. The text has no control characters. */
export const textWidth = (text: string): number => {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const { segment } of known().segmenter.segment(text)) width += cellsOf(segment)
  return width
}

const cellsOf = (segment: string): number => (known().wide.test(segment) ? 2 : /^\p{M}/u.test(segment) ? 0 : 1)

/** Characters behind which a line may end though no space is there. */
const BREAKS = /(?<=[\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60])/u

/** The parts of a text between which a line may end; those that are white space stand alone. */
export const breakable = (text: string): string[] =>
  text.split(/(\s+)/).flatMap((part) => (part === '' ? [] : PLAIN.test(part) ? [part] : part.split(BREAKS)))

/** Lines of at most `width` cells, broken at words; a word that is longer is cut over several. */
export const wrapWords = (text: string, width: number): string[] => {
  const lines: string[] = []
  let line = ''
  let space = ''
  for (const part of breakable(text)) {
    if (/^\s/.test(part)) {
      space = part
      continue
    }
    if (line !== '' && textWidth(line) + space.length + textWidth(part) > width) {
      lines.push(line)
      line = ''
    }
    line += (line === '' ? '' : space) + part
    space = ''
    for (let head = headOf(line, width); head !== line; head = headOf(line, width)) {
      lines.push(head)
      line = line.slice(head.length)
    }
  }
  return line !== '' || lines.length === 0 ? [...lines, line] : lines
}

// At least one character, or it would never end.
const headOf = (text: string, width: number): string => {
  if (textWidth(text) <= width) return text
  let head = ''
  for (const { segment } of known().segmenter.segment(text)) {
    if (head !== '' && textWidth(head + segment) > width) break
    head += segment
  }
  // JSON is better cut behind a comma.
  const comma = head.lastIndexOf(',') + 1
  return comma > head.length / 2 ? head.slice(0, comma) : head
}

/** The text with spaces behind it, up to `width` cells. */
export const padWidth = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - textWidth(text)))
