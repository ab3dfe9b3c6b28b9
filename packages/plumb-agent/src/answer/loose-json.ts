// Reads JSON the way models sometimes write it: with trailing commas, comments, single quotes, bare keys. Anything else is an error.

import { MAX_JSON_DEPTH } from '@plumb/wire'

/** A value as text, so that numbers keep their digits. `json` of an atom is strict JSON, and so is the key of an entry. */
export type Loose =
  | { readonly kind: 'atom'; readonly json: string }
  | { readonly kind: 'array'; readonly items: readonly Loose[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [key: string, value: Loose])[] }

export interface LooseReading {
  readonly value: Loose
  /** Offset after the value. */
  readonly end: number
  /** The repairs, in order of occurrence. */
  readonly repairs: ReadonlySet<string>
}

/** The value that begins at `from`, after white space and comments. Undefined: there is none, or it does not end. */
export const readLoose = (text: string, from: number): LooseReading | undefined => {
  const repairs = new Set<string>()
  let at = from

  const value = (depth: number): Loose | undefined => {
    skip()
    const c = text[at]
    if (c === '{' || c === '[') {
      if (depth === MAX_JSON_DEPTH) return undefined
      at++
      return c === '{' ? object(depth + 1) : array(depth + 1)
    }
    const json = c === '"' || c === "'" ? string() : (token(NUMBER) ?? token(WORD))
    return json === undefined ? undefined : { kind: 'atom', json }
  }

  const array = (depth: number): Loose | undefined => {
    const items: Loose[] = []
    for (let hasComma = false; !closes(']', hasComma); hasComma = comma()) {
      if (items.length > 0 && !hasComma) return undefined
      const item = value(depth)
      if (!item) return undefined
      items.push(item)
    }
    return { kind: 'array', items }
  }

  const object = (depth: number): Loose | undefined => {
    const entries: [string, Loose][] = []
    for (let hasComma = false; !closes('}', hasComma); hasComma = comma()) {
      if (entries.length > 0 && !hasComma) return undefined
      const name = key()
      skip()
      if (name === undefined || text[at] !== ':') return undefined
      at++
      const item = value(depth)
      if (!item) return undefined
      entries.push([name, item])
    }
    return { kind: 'object', entries }
  }

  const key = (): string | undefined => {
    if (text[at] === '"' || text[at] === "'") return string()
    const bare = token(BARE_KEY)
    if (bare !== undefined) repairs.add('bare key')
    return bare === undefined ? undefined : JSON.stringify(bare)
  }

  const closes = (end: string, hasComma: boolean): boolean => {
    skip()
    if (text[at] !== end) return false
    if (hasComma) repairs.add('trailing comma')
    at++
    return true
  }

  const comma = (): boolean => {
    skip()
    if (text[at] !== ',') return false
    at++
    return true
  }

  const string = (): string | undefined => {
    if (text[at] === '"') return token(DOUBLE_QUOTED)
    const quoted = token(SINGLE_QUOTED)
    if (quoted === undefined) return undefined
    repairs.add('single quotes')
    return `"${quoted.slice(1, -1).replace(/\\'|\\.|"/gs, (s) => (s === "\\'" ? "'" : s === '"' ? '\\"' : s))}"`
  }

  const token = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }

  const skip = (): void => {
    token(SPACE)
    while (token(COMMENT) !== undefined) {
      repairs.add('comment')
      token(SPACE)
    }
  }

  const read = value(0)
  return read && { value: read, end: at, repairs }
}

// Sticky, so that they match at the current position.
const SPACE = /[ \t\n\r]*/y
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y
const WORD = /(?:true|false|null)(?![\w$])/y
const BARE_KEY = /[A-Za-z_$][\w$-]*/y
const ESCAPE = String.raw`\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})`
const DOUBLE_QUOTED = new RegExp(String.raw`"[^"\\\u0000-\u001f]*(?:${ESCAPE}[^"\\\u0000-\u001f]*)*"`, 'y')
const SINGLE_QUOTED = new RegExp(String.raw`'[^'\\\u0000-\u001f]*(?:(?:${ESCAPE}|\\')[^'\\\u0000-\u001f]*)*'`, 'y')

/** Compact, on one line. */
export const printLoose = (value: Loose): string => {
  switch (value.kind) {
    case 'atom':
      return value.json
    case 'array':
      return `[${value.items.map(printLoose).join(',')}]`
    case 'object':
      return `{${value.entries.map(([key, item]) => `${key}:${printLoose(item)}`).join(',')}}`
  }
}
