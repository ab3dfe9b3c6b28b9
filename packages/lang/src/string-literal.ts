// What a string literal says: JSON's escapes, and the common indentation of a """block""".

export interface BadEscape {
  readonly message: string
  /** Where in the text given, in UTF-16 units. */
  readonly offset: number
  readonly length: number
}

const SIMPLE: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

export const unescape = (raw: string): string | BadEscape => {
  if (!raw.includes('\\')) return raw
  let out = ''
  let at = 0
  for (let next = raw.indexOf('\\'); next >= 0; next = raw.indexOf('\\', at)) {
    out += raw.slice(at, next)
    const c = raw[next + 1] ?? ''
    const simple = Object.hasOwn(SIMPLE, c) ? SIMPLE[c] : undefined
    if (simple !== undefined) {
      out += simple
      at = next + 2
      continue
    }
    const hex = /^[0-9a-fA-F]{4}/.exec(raw.slice(next + 2, next + 6))?.[0]
    if (c !== 'u' || hex === undefined) return { message: `'\\${c}' is no escape`, offset: next, length: 2 }
    out += String.fromCharCode(Number.parseInt(hex, 16))
    at = next + 6
  }
  return out + raw.slice(at)
}

/** Drops the newline after the opening and the one before the closing quotes, and the indentation that all lines with text share. */
export const unindent = (raw: string): string => {
  const lines = raw.replace(/\r\n/g, '\n').split('\n')
  if (lines.length > 1) {
    if (lines[0]?.trim() === '') lines.shift()
    // The closing quotes on a line of their own.
    if (lines.length > 0 && lines.at(-1)?.trim() === '') lines.pop()
  }
  const indents = lines.filter((l) => l.trim() !== '').map((l) => /^[ \t]*/.exec(l)?.[0].length ?? 0)
  const common = indents.length === 0 ? 0 : Math.min(...indents)
  return lines.map((l) => l.slice(common)).join('\n')
}
