// What Markdown marks within a line: bold, italic, code and links.

export type Mark = 'bold' | 'italic' | 'code' | 'link' | 'dim'

export interface Span {
  readonly text: string
  readonly marks: readonly Mark[]
}

export interface Inline {
  readonly spans: readonly Span[]
  /** From here on it depends on what comes: a mark is open that may still be closed. */
  readonly rest: string
}

/** An open mark that is not closed within so many characters is none. */
const MAX_OPEN = 2000

/** A character behind a `\`, or what stands for itself. */
const PLAIN = /^(?:\\([!-/:-@[-`{-~])|(\*+|_+|`+|[^*_`\\[]+|[\s\S]))/

/** With `isWhole` nothing more comes, and there is no rest. `before`: the character before the text. */
export const readInline = (text: string, isWhole: boolean, marks: readonly Mark[] = [], before = ' '): Inline => {
  const spans: Span[] = []
  let plain = ''
  const end = (): void => {
    if (plain !== '') spans.push({ text: plain, marks })
    plain = ''
  }
  for (let at = 0; at < text.length; ) {
    const found = readMark(text, at, at === 0 ? before : (text[at - 1] as string))
    const mayClose = !isWhole && text.length - at <= MAX_OPEN
    if (found === 'open' && mayClose) {
      end()
      return { spans, rest: text.slice(at) }
    }
    if (found === undefined || found === 'open') {
      const [, escaped, run = ''] = PLAIN.exec(text.slice(at)) ?? []
      plain += escaped ?? run
      at += escaped === undefined ? run.length : 2
      continue
    }
    end()
    spans.push(...found.spans(marks))
    at += found.length
  }
  end()
  return { spans, rest: '' }
}

/** Its text without any marks. */
export const plainText = (text: string): string =>
  readInline(text, true)
    .spans.map((span) => span.text)
    .join('')

interface Found {
  readonly length: number
  readonly spans: (marks: readonly Mark[]) => readonly Span[]
}

const readMark = (text: string, at: number, before: string): Found | 'open' | undefined => {
  switch (text[at]) {
    case '`':
      return readCode(text, at)
    case '*':
    case '_':
      return readEmphasis(text, at, before)
    case '[':
      return readLink(text, at)
    default:
      // The character that it escapes is still to come.
      return text[at] === '\\' && at === text.length - 1 ? 'open' : undefined
  }
}

const readCode = (text: string, at: number): Found | 'open' => {
  const [fence = ''] = /^`+/.exec(text.slice(at)) ?? []
  const from = at + fence.length
  for (let to = text.indexOf(fence, from); to >= 0; ) {
    const [run = ''] = /^`+/.exec(text.slice(to)) ?? []
    if (run.length === fence.length) {
      const code = text.slice(from, to).replace(/^ (.*\S.*) $/, '$1')
      return { length: to + run.length - at, spans: (marks) => [{ text: code, marks: [...marks, 'code'] }] }
    }
    to = text.indexOf(fence, to + run.length)
  }
  return 'open'
}

const EMPHASIS: readonly (readonly Mark[])[] = [[], ['italic'], ['bold'], ['bold', 'italic']]

const readEmphasis = (text: string, at: number, before: string): Found | 'open' | undefined => {
  const sign = text[at] as string
  const [run = ''] = (sign === '*' ? /^\*+/ : /^_+/).exec(text.slice(at)) ?? []
  const own = EMPHASIS[run.length]
  const after = text[at + run.length]
  if (after === undefined) return 'open'
  // Within a word `_` is a letter.
  if (!own || /\s/.test(after) || (sign === '_' && /[\p{L}\p{N}]/u.test(before))) return undefined
  const from = at + run.length
  for (let to = text.indexOf(run, from); to >= 0; ) {
    const [closing = ''] = (sign === '*' ? /^\*+/ : /^_+/).exec(text.slice(to)) ?? []
    const closes =
      closing.length === run.length &&
      !/\s/.test(text[to - 1] as string) &&
      (sign === '*' || !/[\p{L}\p{N}]/u.test(text[to + run.length] ?? ' '))
    if (closes) {
      const inner = text.slice(from, to)
      return { length: to + run.length - at, spans: (marks) => readInline(inner, true, [...marks, ...own], sign).spans }
    }
    to = text.indexOf(run, to + closing.length)
  }
  return 'open'
}

const LINK = /^\[((?:[^[\]\\]|\\.){1,500})\]\(([^()\s]{1,1000})\)/

const readLink = (text: string, at: number): Found | 'open' | undefined => {
  const rest = text.slice(at)
  const [whole, label, address] = LINK.exec(rest) ?? []
  if (whole === undefined || label === undefined || address === undefined)
    return /^\[[^[\]]*(\](\([^()\s]*)?)?$/.test(rest) ? 'open' : undefined
  return {
    length: whole.length,
    spans: (marks) => {
      const { spans } = readInline(label, true, [...marks, 'link'])
      return label === address ? spans : [...spans, { text: ` (${address})`, marks: [...marks, 'dim'] }]
    },
  }
}
