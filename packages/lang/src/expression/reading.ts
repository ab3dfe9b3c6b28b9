// What is known of the message that was looked at last. Stages of one type share it, so that a message that comes to several of them, one
// behind or beside another, is gone through once.

import { makeScanner, type Path, type Scanner } from '../types/scan.js'
import { type UsualScan, usualScan } from '../types/scan-usual.js'
import type { Type } from '../types/type.js'
import { variantsOf } from '../types/variants.js'
import { isSameCheck } from '../types/wirable.js'

/** So many messages are seen before one of them is taken for what the others look like. */
const TRIAL = 64
/** Messages that may be left to the tree where they may be all: to make a scanner takes longer. */
export const FEW = 8
/** None of them is larger, in bytes. */
const SMALL = 4096
const LF = 10
const NOTHING: Buffer = Buffer.alloc(0)

export class Reading {
  /** Where in the message the paths stand (scan.ts). */
  caps = new Int32Array(0)
  /** By their slots. */
  readonly paths: Path[] = []
  readonly #type: Type
  readonly #slots = new Map<string, number>()
  readonly #preparations: (() => void)[] = []
  #scanner: Scanner | undefined
  /** Messages that are still left to the tree. */
  #few: number
  #usual: UsualScan | undefined
  /** Messages in a row that did not look as usual, and how many of them make one of them usual. */
  #unusual = 0
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
    this.#scanner = this.#usual = undefined
    this.#buf = NOTHING
    return slot
  }

  /** `prepare` asks for slots; it is called when there is something to scan, and never where all messages are left to the tree. */
  beforeScan(prepare: () => void): void {
    if (this.#scanner) prepare()
    else this.#preparations.push(prepare)
  }

  get scanner(): Scanner {
    return this.#scanner ?? this.#open()
  }

  /**
   * Has `buf[start..end)` the type? False where only the tree can tell. `end` is inside the buffer. What is in a buffer once does not change: readers
   * and sinks take a new one.
   */
  scan(buf: Buffer, start: number, end: number): boolean {
    if (buf === this.#buf && start === this.#start && end === this.#end) return true
    if (this.#look(buf, start) === end) return this.#keep(buf, start, end)
    if (!this.#scanner && ((end - start <= SMALL && --this.#few >= 0) || !mayGenerate())) return false
    if (this.scanner.scan(buf, start, end, this.caps) !== end) return false
    this.#buf = buf
    this.#start = start
    this.#end = end
    if (++this.#unusual === this.#trial) {
      this.#usual = usualScan(this.#type, this.paths, buf, start, end)
      this.#trial *= 2
      this.#unusual = 0
    }
    return true
  }

  /** What the messages look like is known: `find` has a chance. */
  get isLearned(): boolean {
    return this.#usual !== undefined
  }

  /** Where a message of the type begins at `at`, stands alone on its line and looks as usual: the place of the line's end. Else -1. */
  find(buf: Buffer, at: number): number {
    const end = this.#look(buf, at)
    if (end < 0 || buf[end] !== LF) return -1
    this.#keep(buf, at, end)
    return end
  }

  #look(buf: Buffer, at: number): number {
    const usual = this.#usual
    this.#buf = NOTHING
    if (!usual) return -1
    if (buf !== this.#viewed) {
      this.#viewed = buf
      this.#view = new DataView(buf.buffer, buf.byteOffset, buf.length)
    }
    return usual(buf, this.#view, at, this.caps)
  }

  #keep(buf: Buffer, start: number, end: number): true {
    this.#unusual = 0
    this.#buf = buf
    this.#start = start
    this.#end = end
    return true
  }

  #open(): Scanner {
    for (const prepare of this.#preparations.splice(0)) prepare()
    this.#scanner = makeScanner(this.#type, [...this.paths])
    this.caps = new Int32Array(this.#scanner.size)
    return this.#scanner
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
export class Readings {
  readonly #known = new Map<string, { readonly type: Type; readonly reading: Reading }[]>()

  of(type: Type): Reading {
    const shape = shapeOf(type)
    const alike = this.#known.get(shape) ?? []
    this.#known.set(shape, alike)
    const same = alike.find((other) => isSameCheck(other.type, type))
    if (same) return same.reading
    const reading = new Reading(type, FEW)
    alike.push({ type, reading })
    return reading
  }
}

// Equal types have equal shapes.
const shapeOf = (type: Type): string => {
  const [variant, another] = variantsOf(type)
  if (!variant || another) return 'sum'
  return variant.kind === 'record' ? JSON.stringify(variant.fields.map(({ name }) => name).sort()) : variant.kind
}
