// Styled text over several lines of a terminal, broken between words.

import { clean, type Styled } from './style.js'
import { breakable, textWidth } from './width.js'

/**
 * Lines of at most `width` cells; those after the first begin with `indent` spaces. A word that is longer stays whole, so that a path or a
 * command can be copied: the terminal itself breaks it.
 */
export const wrapStyled = (text: string | Styled, width: number, indent: number): Styled => {
  const line: Line = { column: 0, space: '', width, indent }
  const parts: Styled = typeof text === 'string' ? [text] : text
  const wrapped = parts.flatMap((part): Styled => {
    const isPlain = typeof part === 'string'
    const { before, shown } = addWords(line, isPlain ? part : part[1])
    return [before, isPlain ? shown : [part[0], shown]]
  })
  return [...wrapped, line.space]
}

interface Line {
  column: number
  /** What stands before the next word, if that stays on the line. */
  space: string
  readonly width: number
  readonly indent: number
}

// `before`: what stands between the words before and these.
const addWords = (line: Line, text: string): { readonly before: string; readonly shown: string } => {
  const { width, indent } = line
  let [before, shown] = ['', '']
  // What is escaped takes more room, and a key that is cut in two would not be known as one.
  for (const piece of breakable(clean(text))) {
    if (/^\s/.test(piece)) {
      line.space += piece
      continue
    }
    const size = textWidth(piece)
    const isOver = line.column > indent && line.column + line.space.length + size > width
    const gap = isOver ? `\n${' '.repeat(indent)}` : line.space
    if (shown === '') before = gap
    shown += (shown === '' ? '' : gap) + piece
    line.column = (isOver ? indent : line.column + line.space.length) + size
    if (line.column > width) line.column %= width
    line.space = ''
  }
  return { before, shown }
}
