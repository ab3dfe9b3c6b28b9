// A strict JSON parser (RFC 8259) that loses nothing: it builds a tree of spans over the bytes, so that parts can be copied as they were
// written.

import { MAX_JSON_DEPTH } from './skip.js'
import { stringOf, type Tree, type TreeEntry, type TreeFault } from './tree.js'

/** Parses one JSON text of valid UTF-8. White space around it is allowed, anything else is a fault. */
export const parseTree = (buf: Buffer, start: number, end: number): Tree | TreeFault => {
  const parser = new TreeParser(buf, start, end)
  return parser.parseAll() ?? parser.fault
}

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

const WORDS = { true: Buffer.from('true'), false: Buffer.from('false'), null: Buffer.from('null') }
const ESCAPES = new Set(Buffer.from('"\\/bfnrt'))
// Above this, a linear search for an earlier entry of the same key would be slow.
const MANY_ENTRIES = 8

// The methods return undefined after setting `fault`.
class TreeParser {
  fault: TreeFault = { kind: 'fault', error: 'invalid_json', offset: 0, column: 1, detail: 'no value' }
  private at: number
  private depth = 0

  constructor(
    private readonly buf: Buffer,
    private readonly start: number,
    private readonly end: number,
  ) {
    this.at = start
  }

  parseAll(): Tree | undefined {
    this.skipSpace()
    const tree = this.parseValue('a value')
    if (!tree) return undefined
    this.skipSpace()
    return this.at === this.end ? tree : this.expected('the end')
  }

  private parseValue(wanted: string): Tree | undefined {
    const byte = this.byte()
    switch (byte) {
      case OPEN_OBJECT:
      case OPEN_LIST: {
        if (this.depth === MAX_JSON_DEPTH) return this.fail('too_deep', `nesting over ${MAX_JSON_DEPTH} at column ${this.column()}`)
        this.depth++
        const tree = byte === OPEN_LIST ? this.parseArray() : this.parseObject()
        this.depth--
        return tree
      }
      case QUOTE: {
        const start = this.at
        return this.skipString() ? { kind: 'string', start, end: this.at } : undefined
      }
      case 0x74:
        return this.parseWord('true')
      case 0x66:
        return this.parseWord('false')
      case 0x6e:
        return this.parseWord('null')
      default:
        return byte === MINUS || isDigit(byte) ? this.parseNumber() : this.expected(wanted)
    }
  }

  private parseObject(): Tree | undefined {
    const start = this.at++
    const entries: TreeEntry[] = []
    let places: Map<string, number> | undefined
    this.skipSpace()
    for (let wanted = "a key or '}'"; this.byte() !== CLOSE_OBJECT || entries.length > 0; wanted = 'a key') {
      if (this.byte() !== QUOTE) return this.expected(wanted)
      const keyStart = this.at
      if (!this.skipString()) return undefined
      const key = stringOf({ start: keyStart, end: this.at }, this.buf)
      this.skipSpace()
      if (this.byte() !== COLON) return this.expected("':'")
      this.at++
      this.skipSpace()
      const node = this.parseValue('a value')
      if (!node) return undefined
      if (!places && entries.length >= MANY_ENTRIES) places = new Map(entries.map((entry, i) => [entry.key, i]))
      const place = places ? (places.get(key) ?? -1) : entries.findIndex((entry) => entry.key === key)
      if (place >= 0) entries[place] = { key, node, isRepeated: true }
      else {
        places?.set(key, entries.length)
        entries.push({ key, node })
      }
      this.skipSpace()
      if (this.byte() === CLOSE_OBJECT) break
      if (this.byte() !== COMMA) return this.expected("',' or '}'")
      this.at++
      this.skipSpace()
    }
    this.at++
    return { kind: 'object', start, end: this.at, entries }
  }

  private parseArray(): Tree | undefined {
    const start = this.at++
    const items: Tree[] = []
    this.skipSpace()
    for (let wanted = "a value or ']'"; this.byte() !== CLOSE_LIST || items.length > 0; wanted = 'a value') {
      const item = this.parseValue(wanted)
      if (!item) return undefined
      items.push(item)
      this.skipSpace()
      if (this.byte() === CLOSE_LIST) break
      if (this.byte() !== COMMA) return this.expected("',' or ']'")
      this.at++
      this.skipSpace()
    }
    this.at++
    return { kind: 'array', start, end: this.at, items }
  }

  private parseWord(kind: keyof typeof WORDS): Tree | undefined {
    const start = this.at
    for (const byte of WORDS[kind]) {
      if (this.byte() !== byte) return this.expected(`'${kind}'`)
      this.at++
    }
    return { kind, start, end: this.at }
  }

  private parseNumber(): Tree | undefined {
    const start = this.at
    if (this.byte() === MINUS) this.at++
    if (this.byte() === ZERO) this.at++
    else if (!this.skipDigits()) return undefined
    if (this.byte() === POINT) {
      this.at++
      if (!this.skipDigits()) return undefined
    }
    const hasExponent = (this.byte() | 0x20) === 0x65
    if (hasExponent) {
      this.at++
      if (this.byte() === MINUS || this.byte() === 0x2b) this.at++
      if (!this.skipDigits()) return undefined
    }
    const { at } = this
    const isSmall = !hasExponent && at - start < 300
    if (!isSmall && !Number.isFinite(Number(this.buf.toString('latin1', start, at)))) {
      this.at = start
      return this.fail('invalid_json', `number is not finite at column ${this.column()}`)
    }
    return { kind: 'number', start, end: at }
  }

  private skipDigits(): boolean {
    if (!isDigit(this.byte())) return this.expected('a digit') ?? false
    while (isDigit(this.byte())) this.at++
    return true
  }

  private skipString(): boolean {
    this.at++
    for (;;) {
      const byte = this.byte()
      if (byte === QUOTE) {
        this.at++
        return true
      }
      if (byte < 0) return this.expected("a closing '\"'") ?? false
      if (byte < 0x20) return this.expected('an escape for a control character') ?? false
      this.at++
      if (byte === BACKSLASH && !this.skipEscape()) return false
    }
  }

  private skipEscape(): boolean {
    const byte = this.byte()
    if (byte !== 0x75) {
      if (!ESCAPES.has(byte)) return this.expected('an escape JSON knows') ?? false
      this.at++
      return true
    }
    this.at++
    for (let i = 0; i < 4; i++) {
      if (!isHexDigit(this.byte())) return this.expected('a hexadecimal digit') ?? false
      this.at++
    }
    return true
  }

  private skipSpace(): void {
    for (;;) {
      const byte = this.byte()
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return
      this.at++
    }
  }

  // -1 at the end.
  private byte(): number {
    return this.at < this.end ? (this.buf[this.at] ?? -1) : -1
  }

  private column(): number {
    let column = 1
    // UTF-8 continuation bytes do not count.
    for (let i = this.start; i < this.at; i++) if (((this.buf[i] ?? 0) & 0xc0) !== 0x80) column++
    return column
  }

  private expected(what: string): undefined {
    return this.fail('invalid_json', `expected ${what} at column ${this.column()}, found ${this.found()}`)
  }

  private found(): string {
    const byte = this.byte()
    if (byte < 0) return 'the end'
    if (byte < 0x20 || byte === 0x7f) return `U+${byte.toString(16).toUpperCase().padStart(4, '0')}`
    const [character] = this.buf.toString('utf8', this.at, Math.min(this.end, this.at + 4))
    return `'${character}'`
  }

  private fail(error: TreeFault['error'], detail: string): undefined {
    this.fault = { kind: 'fault', error, offset: this.at, column: this.column(), detail }
    return undefined
  }
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= 0x39

const isHexDigit = (byte: number): boolean => isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)
