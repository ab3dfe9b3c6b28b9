// Reads the JSON of an answer while it comes: the part of the value that is there, as JSON text, and the places that may still grow. Linear in
// the length of the answer, however it is cut. It reads what loose-json.ts reads; what the type would change in another way than by defaults and
// dropped nulls ends it (`isLost`), so that nothing is shown that the answer would not hold.
//
//   mode      reads
//   lead      text before the value
//   value     the beginning of a value
//   first     the same, or the end of the list or object that has just begun
//   next      a comma, or the end of a list or object
//   key       a key, or the end after a trailing comma
//   colon     the colon behind a key
//   string    a text, or a key in quotes
//   word      a number, true, false, null, or a bare key
//   done      what is behind the value

import { fieldOf, hasDefaults, resolve, type Type } from '@plumb/lang'
import { MAX_JSON_DEPTH } from '@plumb/wire'
import { defaultsFor, STARTS, takes, takesNull } from './partial-types.js'

type Mode = 'lead' | 'value' | 'first' | 'next' | 'key' | 'colon' | 'string' | 'word' | 'done'

interface Frame {
  readonly kind: 'object' | 'list'
  /** Undefined: anything, as in `json` and in sums. */
  readonly type: Type | undefined
  /** Within what holds it. */
  readonly segment: string
  /** The wrapper { "value": … }, which is no part of the value. */
  readonly isWrapper: boolean
  /** Of a type that is not known before the whole is. */
  readonly isInSum: boolean
  count: number
  /** The key whose value is next, as JSON. */
  key: string
  readonly keys: Set<string>
}

export interface PartialValue {
  /** Undefined: nothing of it is there. */
  readonly json: string | undefined
  /** JSON Pointers, from the outside to the inside. */
  readonly open: readonly string[]
}

export class PartialJson {
  readonly #type: Type
  readonly #isWrapped: boolean
  #mode: Mode = 'lead'
  #isLost = false
  #hasBegun = false
  #out = ''
  readonly #frames: Frame[] = []
  /** Of a word, or of a text the end that is not whole yet: an escape, half of a surrogate pair. */
  #held = ''
  #quote = '"'
  /** The text is a key. */
  #isKey = false
  #key = ''
  /** The text that is open: where it is. */
  #text: string | undefined
  #comment: 'line' | 'block' | undefined

  constructor(type: Type, isWrapped: boolean) {
    this.#type = resolve(type)
    this.#isWrapped = isWrapped
  }

  /** Nothing more is shown. */
  get isLost(): boolean {
    return this.#isLost || this.#mode === 'done'
  }

  /** Grows with each thing that comes, by two for each character; for who looks whether something has. */
  get length(): number {
    // An end writes a bracket and takes a frame.
    return 2 * this.#out.length + this.#frames.length
  }

  push(delta: string): void {
    const text = this.#held + delta
    this.#held = ''
    let at = 0
    while (at < text.length && !this.isLost) at = this.#step(text, at)
  }

  get now(): PartialValue {
    const shown = this.#frames.filter(({ isWrapper }) => !isWrapper)
    if (this.#out === '') return { json: undefined, open: [''] }
    const open: string[] = []
    for (const { segment } of shown) open.push(`${open.at(-1) ?? ''}${segment}`)
    if (this.#text !== undefined) open.push(`${open.at(-1) ?? ''}${this.#text}`)
    const ends = shown.map(({ kind }) => (kind === 'object' ? '}' : ']')).reverse()
    return { json: `${this.#out}${this.#text === undefined ? '' : '"'}${ends.join('')}`, open }
  }

  #step(text: string, at: number): number {
    if (this.#mode === 'string') return this.#string(text, at)
    if (this.#mode === 'word') return this.#word(text, at)
    if (this.#mode === 'lead') return this.#lead(text, at)
    if (this.#comment) return this.#skipComment(text, at)
    const c = text[at] as string
    if (c === ' ' || c === '\n' || c === '\t' || c === '\r') return at + 1
    if (c === '/') return this.#beginComment(text, at)
    switch (this.#mode) {
      case 'value':
        return this.#value(c, at)
      case 'first':
        return this.#isEnd(c) ? this.#close(at) : this.#top.kind === 'object' ? this.#beginKey(c, at) : this.#value(c, at)
      case 'key':
        return this.#isEnd(c) ? this.#close(at) : this.#beginKey(c, at)
      case 'colon':
        this.#mode = 'value'
        return c === ':' ? at + 1 : this.#lose(at)
      case 'next':
        if (this.#isEnd(c)) return this.#close(at)
        this.#mode = this.#top.kind === 'object' ? 'key' : 'first'
        return c === ',' ? at + 1 : this.#lose(at)
      default:
        return this.#lose(at)
    }
  }

  get #top(): Frame {
    return this.#frames.at(-1) as Frame
  }

  #isEnd(c: string): boolean {
    return c === (this.#top.kind === 'object' ? '}' : ']')
  }

  #lose(at: number): number {
    this.#isLost = true
    return at
  }

  // The value begins with the first character that may begin it, in a fence or not.
  #lead(text: string, at: number): number {
    const starts = STARTS[this.#type.kind]
    if (starts === undefined && !this.#isWrapped) return this.#lose(at)
    const isWrapped = this.#isWrapped ? '{' : ''
    for (let i = at; i < text.length; i++) {
      const c = text[i] as string
      if (!`${isWrapped}${starts ?? ''}`.includes(c)) {
        this.#hasBegun ||= !/[\s\ufeff]/.test(c)
        continue
      }
      // A text among words is no value.
      if (c === '"' && this.#hasBegun) continue
      this.#mode = 'value'
      return i
    }
    return text.length
  }

  #typeHere(): Type | undefined {
    const frame = this.#frames.at(-1)
    if (!frame) return this.#type
    if (frame.isWrapper) return this.#type
    const type = frame.type
    if (!type) return undefined
    switch (type.kind) {
      case 'record':
        return fieldOf(type, JSON.parse(frame.key) as string)?.type
      case 'map':
      case 'array':
        return type.item
      case 'tuple':
        return type.items[frame.count]
      default:
        return undefined
    }
  }

  #value(c: string, at: number): number {
    const isRoot = this.#frames.length === 0
    const here = this.#typeHere()
    const type = here && resolve(here)
    if (!isRoot && this.#top.kind === 'list') this.#top.key = String(this.#top.count)
    if (c === '{' || c === '[') {
      const isWrapper = isRoot && this.#isWrapped && c === '{'
      if (!isWrapper && type && !takes(type, c)) return this.#lose(at)
      return this.#open(c, isWrapper ? undefined : type, isWrapper, at)
    }
    if (type && !takes(type, c)) return this.#lose(at)
    if (c === '"' || c === "'") {
      this.#text = this.#segment()
      this.#put('"')
      this.#quote = c
      this.#isKey = false
      this.#mode = 'string'
      return at + 1
    }
    if (isRoot) return this.#lose(at)
    this.#mode = 'word'
    this.#isKey = false
    return at
  }

  /** The place of what begins now. */
  #segment(): string {
    const frame = this.#frames.at(-1)
    if (!frame || frame.isWrapper) return ''
    const name = frame.kind === 'list' ? String(frame.count) : (JSON.parse(frame.key) as string)
    return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  }

  /** Writes the beginning of a value, with the comma and the key before it. */
  #put(text: string): void {
    const frame = this.#frames.at(-1)
    if (frame && !frame.isWrapper) {
      if (frame.count > 0) this.#out += ','
      if (frame.kind === 'object') this.#out += `${frame.key}:`
    }
    if (frame) frame.count++
    this.#out += text
  }

  #open(c: string, type: Type | undefined, isWrapper: boolean, at: number): number {
    if (this.#frames.length === MAX_JSON_DEPTH) return this.#lose(at)
    const segment = this.#segment()
    if (!isWrapper) this.#put(c)
    const isKnown = type && type.kind !== 'sum' && type.kind !== 'json'
    // What a default would add to a variant is known when the whole is.
    if (type?.kind === 'sum' && hasDefaults(type)) return this.#lose(at)
    const isInSum = type ? type.kind === 'sum' : this.#frames.at(-1)?.isInSum === true
    const kind = c === '{' ? 'object' : 'list'
    this.#frames.push({ kind, type: isKnown ? type : undefined, segment, isWrapper, isInSum, count: 0, key: '', keys: new Set() })
    this.#mode = 'first'
    return at + 1
  }

  #close(at: number): number {
    const frame = this.#frames.pop() as Frame
    if (frame.isWrapper) {
      this.#mode = 'done'
      return at + 1
    }
    if (frame.type?.kind === 'record') this.#out += defaultsFor(frame.type, frame.keys, frame.count)
    this.#out += frame.kind === 'object' ? '}' : ']'
    return this.#ended(at + 1)
  }

  /** A value has ended. */
  #ended(at: number): number {
    this.#mode = this.#frames.length === 0 || this.#top.isWrapper ? 'done' : 'next'
    return at
  }

  #beginKey(c: string, at: number): number {
    this.#isKey = true
    this.#key = ''
    if (c === '"' || c === "'") {
      this.#quote = c
      this.#mode = 'string'
      return at + 1
    }
    this.#mode = 'word'
    return at
  }

  #keyEnded(json: string, at: number): number {
    this.#key = ''
    const name = JSON.parse(json) as string
    const frame = this.#top
    const type = frame.type
    // A key that the type does not have, or that is there twice, is an error of the answer.
    const isKnown = type?.kind !== 'record' || type.isOpen === true || fieldOf(type, name) !== undefined
    if (!isKnown || frame.keys.has(name) || (frame.isWrapper && name !== 'value')) return this.#lose(at)
    frame.keys.add(name)
    frame.key = json
    this.#mode = 'colon'
    return at
  }

  #string(text: string, start: number): number {
    let at = start
    for (;;) {
      PLAIN.lastIndex = at
      const run = PLAIN.exec(text)?.[0] ?? ''
      at += run.length
      const isCut = at === text.length && /[\ud800-\udbff]$/.test(run)
      this.#add(isCut ? run.slice(0, -1) : run)
      if (at === text.length) {
        this.#held = isCut ? run.slice(-1) : ''
        return at
      }
      const c = text[at] as string
      if (c === this.#quote) return this.#stringEnded(at + 1)
      if (c === '"') {
        this.#add('\\"')
        at++
      } else if (c === "'") {
        this.#add(c)
        at++
      } else if (c === '\\') {
        const taken = this.#escape(text, at)
        if (taken === 'more') {
          this.#held = text.slice(at)
          return text.length
        }
        if (taken === 0) return this.#lose(at)
        at += taken
      } else return this.#lose(at)
    }
  }

  /** Characters of the escape; 0: it is none. */
  #escape(text: string, at: number): number | 'more' {
    const next = text[at + 1]
    if (next === undefined) return 'more'
    if (next === "'") {
      if (this.#quote !== "'") return 0
      this.#add("'")
      return 2
    }
    if (next !== 'u') {
      if (!'"\\/bfnrt'.includes(next)) return 0
      this.#add(`\\${next}`)
      return 2
    }
    const unit = text.slice(at + 2, at + 6)
    if (!/^[0-9a-fA-F]*$/.test(unit)) return 0
    if (unit.length < 4) return 'more'
    if (!/^d[89ab]/i.test(unit)) {
      this.#add(`\\u${unit}`)
      return 6
    }
    const low = text.slice(at + 6, at + 12)
    if (low.length < 6 && PAIR_BEGINNING.test(low)) return 'more'
    const isPair = /^\\u[dD][c-fC-F][0-9a-fA-F]{2}$/.test(low)
    this.#add(`\\u${unit}${isPair ? low : ''}`)
    return isPair ? 12 : 6
  }

  #add(text: string): void {
    if (this.#isKey) this.#key += text
    else this.#out += text
  }

  #stringEnded(at: number): number {
    if (this.#isKey) return this.#keyEnded(`"${this.#key}"`, at)
    this.#out += '"'
    this.#text = undefined
    return this.#ended(at)
  }

  #word(text: string, at: number): number {
    WORD.lastIndex = at
    const run = WORD.exec(text)?.[0] ?? ''
    const word = this.#key + run
    const end = at + run.length
    if (end === text.length) {
      this.#key = word
      return end
    }
    this.#key = ''
    if (this.#isKey) return BARE_KEY.test(word) ? this.#keyEnded(JSON.stringify(word), end) : this.#lose(end)
    if (!ATOM.test(word)) return this.#lose(end)
    // In some variants it would be read as absent.
    if (word === 'null' && this.#top.isInSum) return this.#lose(end)
    if (word === 'null' && this.#top.type?.kind === 'record' && !this.#top.isWrapper) {
      const field = fieldOf(this.#top.type, JSON.parse(this.#top.key) as string)
      const isNull = field === undefined || takesNull(field.type)
      // It is read as absent.
      if (!isNull && field.isOptional && field.default === undefined) return this.#ended(end)
      if (!isNull) return this.#lose(end)
    }
    this.#put(word)
    return this.#ended(end)
  }

  #beginComment(text: string, at: number): number {
    const next = text[at + 1]
    if (next === undefined) {
      this.#held = '/'
      return text.length
    }
    this.#comment = next === '/' ? 'line' : 'block'
    return next === '/' || next === '*' ? at + 2 : this.#lose(at)
  }

  #skipComment(text: string, at: number): number {
    const end = text.indexOf(this.#comment === 'line' ? '\n' : '*/', at)
    if (end < 0) {
      this.#held = this.#comment === 'block' && text.endsWith('*') ? '*' : ''
      return text.length
    }
    const behind = end + (this.#comment === 'line' ? 1 : 2)
    this.#comment = undefined
    return behind
  }
}

const CONTROLS = String.raw`\u0000-\u001f`
const PLAIN = new RegExp(String.raw`[^"'\\${CONTROLS}]*`, 'y')
const WORD = /[^\s,\]}:"'/[{]*/y
const BARE_KEY = /^[A-Za-z_$][\w$-]*$/
const ATOM = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/
const PAIR_BEGINNING = /^(?:\\(?:u(?:[dD](?:[c-fC-F][0-9a-fA-F]?)?)?)?)?$/
