// Code that compares the bytes of keys and literals.

import type { Field } from '../types/type.js'

/** The JSON of a string without escapes. Undefined: it needs escapes, or is not valid UTF-8. */
const plainBytes = (text: string): number[] | undefined => {
  const quoted = JSON.stringify(text)
  return quoted.length === text.length + 2 ? [...new TextEncoder().encode(quoted)] : undefined
}

// A name that must be escaped is never found by the fast path.
export const keyBytes = (name: string): number[] => plainBytes(name) ?? [256]

export const bytesMatch = (bytes: readonly number[]): string => bytes.map((b, k) => `buf[i${k ? ` + ${k}` : ''}] === ${b}`).join(' && ')

export const literals = (texts: readonly string[]): string => {
  const branches = texts.flatMap((text) => {
    const bytes = plainBytes(text)
    return bytes ? [`if (${bytesMatch(bytes)}) i += ${bytes.length}`] : []
  })
  return [...branches, 'return -1'].join('\nelse ')
}

export const lookUp = (name: string, fields: readonly Field[]): string => {
  const tests = fields.map((f, k) => `if (${bytesMatch(keyBytes(f.name))}) return ${k}`)
  return `function ${name}(buf, i) {\n${tests.join('\n')}\nreturn -1\n}`
}
