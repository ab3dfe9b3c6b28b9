// Finds messages of one type in bytes, and where the parts of them are that stages ask for. The stages of one type share a scanner, which
// remembers the message that it found last: one that comes to several stages, one after or beside another, is scanned once.
//
// Callers see two roads: a message is found, or it is left to the tree. What happens behind `scan`:
//
//   state     a message                                    goes on when
//   new       small: left to the tree                      MAX_UNSCANNED small messages have come, or a large one: code
//   code      the generated scanner finds it               MISSES_TO_LEARN found in a row: the shape of the last is learned
//   shape     has the shape: found at once;                MISSES_TO_LEARN, doubled each time, without the shape: that of the last
//             else as in code
//
// A path that is first asked for leads back to `new`. Where no code may be generated the state stays `new`, and
// all messages are left to the tree. `captures` is valid until the next message is looked for.

import { skipSpace } from '@plumb/wire/json'
import { type ShapeScan, shapeScan } from '../../scan/scan-shape.js'
import type { Path, Scanner } from '../../scan/scanner.js'
import { makeScanner } from '../../scan/scanner-code.js'
import type { Type } from '../../types/type.js'
import { variantsOf } from '../../types/variants.js'
import { isSameCheck } from '../../types/wirable.js'
import type { Sink } from '../run/sink.js'
import { put } from '../run/write.js'

/** Messages found in a row without a shape, or without the learned one, before the shape of the last is learned. */
const MISSES_TO_LEARN = 64
/** Messages that may be left to the tree, since they may be all that come: generating a scanner takes longer. */
export const MAX_UNSCANNED = 8
/** Their maximum size, in bytes. */
const MAX_UNSCANNED_BYTES = 4096
const LF = 10
const NO_BYTES: Buffer = Buffer.alloc(0)

export class MessageScanner {
  /** Where in the message the paths are (scan/scanner.ts). */
  captures = new Int32Array(0)
  /** By their slots. */
  readonly paths: Path[] = []
  readonly #type: Type
  readonly #slots = new Map<string, number>()
  readonly #preparations: (() => void)[] = []
  #generated: Scanner | undefined
  /** Small messages that are still left to the tree. */
  #unscanned: number
  #shape: ShapeScan | undefined
  /** Messages found in a row without the learned shape, and the number at which another is learned. */
  #misses = 0
  #missesToLearn = MISSES_TO_LEARN
  /** The last message found; no bytes if there is none. */
  #buf = NO_BYTES
  #start = 0
  #end = 0
  /** The buffer of `#view`. */
  #viewed = NO_BYTES
  #view: DataView = new DataView(new ArrayBuffer(0))

  constructor(type: Type, unscanned = 0) {
    this.#type = type
    this.#unscanned = unscanned
  }

  /** The slot of a path among the captures: the part begins at 2k and ends at 2k + 1. */
  slot(path: Path): number {
    const key = JSON.stringify(path)
    const known = this.#slots.get(key)
    if (known !== undefined) return known
    const slot = this.paths.push(path) - 1
    this.#slots.set(key, slot)
    this.#generated = this.#shape = undefined
    this.#buf = NO_BYTES
    return slot
  }

  /** `prepare` requests slots; it is called when there is something to scan, and never if all messages are left to the tree. */
  beforeScan(prepare: () => void): void {
    if (this.#generated) prepare()
    else this.#preparations.push(prepare)
  }

  /**
   * Whether `buf[start..end)` has the type. False if only the tree can decide. `end` is inside the buffer. Bytes in a buffer do not change:
   * readers and sinks take a new one.
   */
  scan(buf: Buffer, start: number, end: number): boolean {
    if (buf === this.#buf && start === this.#start && end === this.#end) return true
    if (this.#look(buf, start) === end) return this.#keep(buf, start, end)
    if (!this.#generated && ((end - start <= MAX_UNSCANNED_BYTES && --this.#unscanned >= 0) || !mayGenerate())) return false
    const scanner = this.#generated ?? this.#generate()
    if (scanner.scan(buf, start, end, this.captures) !== end) return false
    this.#buf = buf
    this.#start = start
    this.#end = end
    if (++this.#misses === this.#missesToLearn) {
      this.#shape = shapeScan(this.#type, this.paths, buf, start, end)
      this.#missesToLearn *= 2
      this.#misses = 0
    }
    return true
  }

  /** Whether the found message lacks a field with a default. */
  get lacksDefaults(): boolean {
    const scanner = this.#generated as Scanner
    return scanner.insertions.length > 0 && this.captures[scanner.absent] !== 0
  }

  /** Writes the found message with the defaults that it lacks, from its first byte to its last; white space around it is dropped. */
  fill(out: Sink): void {
    const { absent, insertions } = this.#generated as Scanner
    const { captures } = this
    const buf = this.#buf
    let from = skipSpace(buf, this.#start)
    let to = this.#end
    while ((buf[to - 1] as number) <= 32) to--
    let p = out.at
    const count = captures[absent] as number
    for (let i = absent + 1; i <= absent + 2 * count; i += 2) {
      const at = captures[i] as number
      const text = insertions[captures[i + 1] as number] as Buffer
      p = put(out, put(out, p, buf, from, at), text, 0, text.length)
      from = at
    }
    out.commit(put(out, p, buf, from, to))
  }

  /** A shape has been learned: `find` may match. */
  get hasShape(): boolean {
    return this.#shape !== undefined
  }

  /** If a line that starts at `at` has the learned shape and the type, the offset of its LF; else -1. */
  find(buf: Buffer, at: number): number {
    const end = this.#look(buf, at)
    if (end < 0 || buf[end] !== LF) return -1
    this.#keep(buf, at, end)
    return end
  }

  #look(buf: Buffer, at: number): number {
    const shape = this.#shape
    this.#buf = NO_BYTES
    if (!shape) return -1
    if (buf !== this.#viewed) {
      this.#viewed = buf
      this.#view = new DataView(buf.buffer, buf.byteOffset, buf.length)
    }
    return shape(buf, this.#view, at, this.captures)
  }

  #keep(buf: Buffer, start: number, end: number): true {
    this.#misses = 0
    this.#buf = buf
    this.#start = start
    this.#end = end
    return true
  }

  #generate(): Scanner {
    for (const prepare of this.#preparations.splice(0)) prepare()
    this.#generated = makeScanner(this.#type, [...this.paths])
    this.captures = new Int32Array(this.#generated.size)
    return this.#generated
  }
}

// Node may have been started with --disallow-code-generation-from-strings.
let isAllowed: boolean | undefined
const mayGenerate = (): boolean => {
  if (isAllowed === undefined) {
    try {
      isAllowed = new Function() !== undefined
    } catch {
      isAllowed = false
    }
  }
  return isAllowed
}

/** One for all equal types. */
export class MessageScanners {
  readonly #known = new Map<string, { readonly type: Type; readonly scanner: MessageScanner }[]>()

  of(type: Type): MessageScanner {
    const shape = shapeOf(type)
    const alike = this.#known.get(shape) ?? []
    this.#known.set(shape, alike)
    const same = alike.find((other) => isSameCheck(other.type, type))
    if (same) return same.scanner
    const scanner = new MessageScanner(type, MAX_UNSCANNED)
    alike.push({ type, scanner })
    return scanner
  }
}

// Equal types have equal shapes.
const shapeOf = (type: Type): string => {
  const [variant, another] = variantsOf(type)
  if (!variant || another) return 'sum'
  return variant.kind === 'record' ? JSON.stringify(variant.fields.map(({ name }) => name).sort()) : variant.kind
}
