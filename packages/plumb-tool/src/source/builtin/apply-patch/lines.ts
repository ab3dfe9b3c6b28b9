// Splits text into lines with their endings, so that CRLF and a missing last newline are preserved.

export interface TextLine {
  readonly text: string
  /** `\n`, `\r\n`, or empty for a last line without newline. */
  readonly end: string
}

export const splitLines = (text: string): TextLine[] => {
  const lines: TextLine[] = []
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at)
    if (newline < 0) {
      lines.push({ text: text.slice(at), end: '' })
      break
    }
    const isCrlf = newline > at && text[newline - 1] === '\r'
    lines.push({ text: text.slice(at, newline - (isCrlf ? 1 : 0)), end: isCrlf ? '\r\n' : '\n' })
    at = newline + 1
  }
  return lines
}

export const joinLines = (lines: readonly TextLine[]): string => lines.map(({ text, end }) => text + end).join('')

/** Gives the last line a newline if and only if the old text had one; `before` are the lines of the old text. */
export const withEnds = (lines: readonly TextLine[], before: readonly TextLine[]): TextLine[] => {
  const isOpen = before.length > 0 && before.at(-1)?.end === ''
  const ending = before.find(({ end }) => end !== '')?.end ?? '\n'
  let last = ending
  return lines.map((line, i) => {
    // An empty last line without newline would vanish.
    const end = isOpen && i === lines.length - 1 && line.text !== '' ? '' : line.end || last
    last = end || last
    return end === line.end ? line : { text: line.text, end }
  })
}
