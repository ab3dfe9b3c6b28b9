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
  const reader = new LooseReader(text, from)
  const value = reader.value(0)
  return value && { value, end: reader.at, repairs: reader.repairs }
}

class LooseReader {
  readonly repairs = new Set<string>()
  readonly #text: string
  at: number

  constructor(text: string, from: number) {
    this.#text = text
    this.at = from
  }

  value(depth: number): Loose | undefined {
    this.#skip()
    const c = this.#text[this.at]
    if (c === '{' || c === '[') {
      if (depth === MAX_JSON_DEPTH) return undefined
      this.at++
      return c === '{' ? this.#object(depth + 1) : this.#array(depth + 1)
    }
    const json = c === '"' || c === "'" ? this.#string() : (this.#token(NUMBER) ?? this.#token(WORD))
    return json === undefined ? undefined : { kind: 'atom', json }
  }

  #array(depth: number): Loose | undefined {
    const items: Loose[] = []
    for (let hasComma = false; !this.#closes(']', hasComma); hasComma = this.#comma()) {
      if (items.length > 0 && !hasComma) return undefined
      const item = this.value(depth)
      if (!item) return undefined
      items.push(item)
    }
    return { kind: 'array', items }
  }

  #object(depth: number): Loose | undefined {
    const entries: [string, Loose][] = []
    for (let hasComma = false; !this.#closes('}', hasComma); hasComma = this.#comma()) {
      if (entries.length > 0 && !hasComma) return undefined
      const name = this.#key()
      this.#skip()
      if (name === undefined || this.#text[this.at] !== ':') return undefined
      this.at++
      const item = this.value(depth)
      if (!item) return undefined
      entries.push([name, item])
    }
    return { kind: 'object', entries }
  }

  #key(): string | undefined {
    if (this.#text[this.at] === '"' || this.#text[this.at] === "'") return this.#string()
    const bare = this.#token(BARE_KEY)
    if (bare !== undefined) this.repairs.add('bare key')
    return bare === undefined ? undefined : JSON.stringify(bare)
  }

  #closes(end: string, hasComma: boolean): boolean {
    this.#skip()
    if (this.#text[this.at] !== end) return false
    if (hasComma) this.repairs.add('trailing comma')
    this.at++
    return true
  }

  #comma(): boolean {
    this.#skip()
    if (this.#text[this.at] !== ',') return false
    this.at++
    return true
  }

  #string(): string | undefined {
    if (this.#text[this.at] === '"') return this.#token(DOUBLE_QUOTED)
    const quoted = this.#token(SINGLE_QUOTED)
    if (quoted === undefined) return undefined
    this.repairs.add('single quotes')
    return `"${quoted.slice(1, -1).replace(/\\'|\\.|"/gs, (s) => (s === "\\'" ? "'" : s === '"' ? '\\"' : s))}"`
  }

  #token(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }

  #skip(): void {
    this.#token(SPACE)
    while (this.#token(COMMENT) !== undefined) {
      this.repairs.add('comment')
      this.#token(SPACE)
    }
  }
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
