// Finds why bytes are not a JSON value (RFC 8259, with the limits of plumb-wire(5)), after skipValue has refused them. White space may
// include line ends here.

import { MAX_JSON_DEPTH } from './skip.js'

/** Why the bytes are not accepted. */
export interface Flaw {
  readonly code: 'invalid_json' | 'too_deep'
  /** The position, as an index into the buffer. */
  readonly at: number
  readonly reason: string
  /** The bytes end too early: a whole value may begin like this. */
  readonly isCut: boolean
}

const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20]
const [QUOTE, COMMA, MINUS, DOT, ZERO, NINE, COLON] = [0x22, 0x2c, 0x2d, 0x2e, 0x30, 0x39, 0x3a]
const [OPEN_ARRAY, BACKSLASH, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5c, 0x5d, 0x7b, 0x7d]
const [LOWER_E, UPPER_E, PLUS, LOWER_U] = [0x65, 0x45, 0x2b, 0x75]

const ESCAPES = new Set(Buffer.from('"\\/bfnrt'))
const WORDS = [Buffer.from('true'), Buffer.from('false'), Buffer.from('null')]

/** The first flaw of `buf[start..end)`. Undefined: it is one value with white space around it and nothing else. */
export const findFlaw = (buf: Buffer, start: number, end: number): Flaw | undefined => {
  const walk = new Walk(buf, start, end)
  walk.whole()
  return walk.flaw
}

// Each method moves past its piece and returns true, or sets the flaw and returns false.
class Walk {
  flaw: Flaw | undefined
  #depth = 0

  constructor(
    private readonly buf: Buffer,
    private at: number,
    private readonly end: number,
  ) {}

  whole(): boolean {
    if (!this.#value()) return false
    this.#space()
    return this.at === this.end || this.#fail('there is more after the value')
  }

  #value(): boolean {
    this.#space()
    const byte = this.buf[this.at] as number
    if (this.at >= this.end) return this.#fail('a value is missing')
    if (byte === QUOTE) return this.#string()
    if (byte === OPEN_OBJECT) return this.#nested(CLOSE_OBJECT, () => this.#member())
    if (byte === OPEN_ARRAY) return this.#nested(CLOSE_ARRAY, () => this.#value())
    if (byte === MINUS || isDigit(byte)) return this.#number()
    return WORDS.some((word) => word[0] === byte && this.#word(word)) || (this.flaw === undefined && this.#fail('expected a value'))
  }

  // Whether `byte` comes next, after white space; moves past it only then.
  #isNext(byte: number): boolean {
    this.#space()
    if (this.at >= this.end || this.buf[this.at] !== byte) return false
    this.at++
    return true
  }

  #string(): boolean {
    const { buf, end } = this
    this.#space()
    if (this.at >= end || buf[this.at] !== QUOTE) return this.#fail('expected a string')
    for (this.at++; this.at < end; this.at++) {
      const byte = buf[this.at] as number
      if (byte === QUOTE) {
        this.at++
        return true
      }
      if (byte < SPACE) return this.#fail('a control character in a string must be escaped')
      if (byte === BACKSLASH && !this.#escape()) return false
    }
    return this.#fail('a string is not closed')
  }

  #space(): void {
    for (; this.at < this.end; this.at++) {
      const byte = this.buf[this.at]
      if (byte !== SPACE && byte !== TAB && byte !== LF && byte !== CR) return
    }
  }

  #fail(reason: string, code: Flaw['code'] = 'invalid_json'): false {
    this.flaw ??= { code, at: this.at, reason, isCut: this.at >= this.end }
    return false
  }

  #nested(close: number, item: () => boolean): boolean {
    if (this.#depth === MAX_JSON_DEPTH) return this.#fail(`nested more than ${MAX_JSON_DEPTH} deep`, 'too_deep')
    this.#depth++
    this.at++
    if (!this.#isNext(close)) {
      do {
        if (!item()) return false
      } while (this.#isNext(COMMA))
      if (!this.#isNext(close)) return this.#fail(`expected ',' or '${String.fromCharCode(close)}'`)
    }
    this.#depth--
    return true
  }

  #member(): boolean {
    return this.#string() && (this.#isNext(COLON) || this.#fail("expected ':'")) && this.#value()
  }

  // At the backslash; leaves `at` on the last byte of the escape.
  #escape(): boolean {
    const byte = this.buf[++this.at] as number
    if (this.at >= this.end) return this.#fail('a string is not closed')
    if (byte !== LOWER_U) return ESCAPES.has(byte) || this.#fail('no such escape')
    for (let i = 0; i < 4; i++) {
      this.at++
      if (this.at >= this.end || !isHex(this.buf[this.at] as number)) return this.#fail('\\u needs four hexadecimal digits')
    }
    return true
  }

  #number(): boolean {
    const { buf, at: start } = this
    if (buf[this.at] === MINUS) this.at++
    if (buf[this.at] === ZERO && this.at < this.end) this.at++
    else if (!this.#digits()) return false
    let hasExponent = false
    if (this.at < this.end && buf[this.at] === DOT) {
      this.at++
      if (!this.#digits()) return false
    }
    if (this.at < this.end && (buf[this.at] === LOWER_E || buf[this.at] === UPPER_E)) {
      hasExponent = true
      this.at++
      if (this.at < this.end && (buf[this.at] === PLUS || buf[this.at] === MINUS)) this.at++
      if (!this.#digits()) return false
    }
    // Without an exponent, a number needs more than 308 digits to overflow.
    if (!hasExponent && this.at - start <= 308) return true
    if (Number.isFinite(Number(buf.toString('latin1', start, this.at)))) return true
    this.at = start
    return this.#fail('a number is out of range')
  }

  #digits(): boolean {
    const start = this.at
    while (this.at < this.end && isDigit(this.buf[this.at] as number)) this.at++
    return this.at > start || this.#fail('expected a digit')
  }

  #word(word: Buffer): boolean {
    for (const byte of word) {
      if (this.at >= this.end || this.buf[this.at] !== byte) return this.#fail('expected a value')
      this.at++
    }
    return true
  }
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE

const isHex = (byte: number): boolean => isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66)
