// What is known of the message that was looked at last. Stages of one type share it, so that a message that comes to several of them, one
// behind or beside another, is gone through once.

import { type ShapeScan, shapeScan } from '../../scan/scan-shape.js'
import type { Path, Scanner } from '../../scan/scanner.js'
import { makeScanner } from '../../scan/scanner-code.js'
import type { Type } from '../../types/type.js'
import { variantsOf } from '../../types/variants.js'
import { isSameCheck } from '../../types/wirable.js'

/** So many messages in a row without the learned shape are scanned before the shape of the last is learned. */
const TRIAL = 64
/** Messages that may be left to the tree where they may be all: to make a scanner takes longer. */
export const FEW = 8
/** None of them is larger, in bytes. */
const SMALL = 4096
const LF = 10
const NOTHING: Buffer = Buffer.alloc(0)

export class MessageScanner {
  /** Where in the message the paths stand (scan/scanner.ts). */
  captures = new Int32Array(0)
  /** By their slots. */
  readonly paths: Path[] = []
  readonly #type: Type
  readonly #slots = new Map<string, number>()
  readonly #preparations: (() => void)[] = []
  #generated: Scanner | undefined
  /** Messages that are still left to the tree. */
  #few: number
  #shape: ShapeScan | undefined
  /** Messages in a row without the learned shape, and at how many of them another is learned. */
  #misses = 0
  #trial = TRIAL
  #buf = NOTHING
  #start = 0
  #end = 0
  #viewed = NOTHING
  #view: DataView = new DataView(new ArrayBuffer(0))

  constructor(type: Type, few = 0) {
    this.#type = type
    this.#few = few
  }

  /** The number of a path that somebody wants to know the place of. */
  slot(path: Path): number {
    const key = JSON.stringify(path)
    const known = this.#slots.get(key)
    if (known !== undefined) return known
    const slot = this.paths.push(path) - 1
    this.#slots.set(key, slot)
    this.#generated = this.#shape = undefined
    this.#buf = NOTHING
    return slot
  }

  /** `prepare` asks for slots; it is called when there is something to scan, and never where all messages are left to the tree. */
  beforeScan(prepare: () => void): void {
    if (this.#generated) prepare()
    else this.#preparations.push(prepare)
  }

  get generated(): Scanner {
    return this.#generated ?? this.#open()
  }

  /**
   * Has `buf[start..end)` the type? False where only the tree can tell. `end` is inside the buffer. What is in a buffer once does not change: readers
   * and sinks take a new one.
   */
  scan(buf: Buffer, start: number, end: number): boolean {
    if (buf === this.#buf && start === this.#start && end === this.#end) return true
    if (this.#look(buf, start) === end) return this.#keep(buf, start, end)
    if (!this.#generated && ((end - start <= SMALL && --this.#few >= 0) || !mayGenerate())) return false
    if (this.generated.scan(buf, start, end, this.captures) !== end) return false
    this.#buf = buf
    this.#start = start
    this.#end = end
    if (++this.#misses === this.#trial) {
      this.#shape = shapeScan(this.#type, this.paths, buf, start, end)
      this.#trial *= 2
      this.#misses = 0
    }
    return true
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
    this.#buf = NOTHING
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

  #open(): Scanner {
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

/** One for all types that are the same. */
export class MessageScanners {
  readonly #known = new Map<string, { readonly type: Type; readonly scanner: MessageScanner }[]>()

  of(type: Type): MessageScanner {
    const shape = shapeOf(type)
    const alike = this.#known.get(shape) ?? []
    this.#known.set(shape, alike)
    const same = alike.find((other) => isSameCheck(other.type, type))
    if (same) return same.scanner
    const scanner = new MessageScanner(type, FEW)
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
