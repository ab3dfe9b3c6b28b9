// A text as lines that keep what ends each of them, so that CRLF and a missing last newline survive.

export interface TextLine {
  readonly text: string
  /** `\n`, `\r\n`, or nothing for a last line without an end. */
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

/** What was the last line had an end or none, and so has what is last now; `before` are the lines of the old text. */
export const withEnds = (lines: readonly TextLine[], before: readonly TextLine[]): TextLine[] => {
  const isOpen = before.length > 0 && before.at(-1)?.end === ''
  const usual = before.find(({ end }) => end !== '')?.end ?? '\n'
  let last = usual
  return lines.map((line, i) => {
    // An empty line without an end would be none.
    const end = isOpen && i === lines.length - 1 && line.text !== '' ? '' : line.end || last
    last = end || last
    return end === line.end ? line : { text: line.text, end }
  })
}
