// What a string literal says: JSON's escapes, and the common indentation of a """block""".

export interface BadEscape {
  /** As it is written. */
  readonly text: string
  /** Where in the text given, in UTF-16 units. */
  readonly offset: number
}

const SIMPLE: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

export const unescape = (raw: string): string | BadEscape => {
  if (!raw.includes('\\')) return raw
  let out = ''
  let at = 0
  for (let next = raw.indexOf('\\'); next >= 0; next = raw.indexOf('\\', at)) {
    out += raw.slice(at, next)
    const c = String.fromCodePoint(raw.codePointAt(next + 1) ?? 0x20)
    const simple = Object.hasOwn(SIMPLE, c) ? SIMPLE[c] : undefined
    if (simple !== undefined) {
      out += simple
      at = next + 2
      continue
    }
    const hex = /^[0-9a-fA-F]*/.exec(raw.slice(next + 2, next + 6))?.[0] ?? ''
    if (c !== 'u' || hex.length < 4) return { text: c === 'u' ? `\\u${hex}` : `\\${c}`, offset: next }
    out += String.fromCharCode(Number.parseInt(hex, 16))
    at = next + 6
  }
  return out + raw.slice(at)
}

/**
 * Drops the newline after the opening and the one before the closing quotes, and the indentation that all lines with text share. Text
 * that follows the opening quotes on their line has none, and takes none away from the others.
 */
export const unindent = (raw: string): string => {
  const lines = raw.replace(/\r\n/g, '\n').split('\n')
  const hasOpeningText = lines[0]?.trim() !== ''
  if (lines.length > 1) {
    if (!hasOpeningText) lines.shift()
    // The closing quotes on a line of their own.
    if (lines.at(-1)?.trim() === '') lines.pop()
  }
  const first = hasOpeningText ? lines.shift() : undefined
  const indents = lines.filter((l) => l.trim() !== '').map((l) => /^[ \t]*/.exec(l)?.[0] ?? '')
  const common = indents.reduce<string | undefined>((a, b) => (a === undefined ? b : sharedStart(a, b)), undefined) ?? ''
  const inner = lines.map((l) => l.slice(common.length))
  return (first === undefined ? inner : [first, ...inner]).join('\n')
}

const sharedStart = (a: string, b: string): string => {
  let n = 0
  while (n < a.length && a[n] === b[n]) n++
  return a.slice(0, n)
}
