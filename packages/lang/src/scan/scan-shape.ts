// Scans messages of one shape: the same keys in the same order with the same white space, as one program writes them. The text between the
// values is then known in advance, and is compared four bytes at a time. Any other message is left to the scanner (scan/scanner.ts).

import { skipSpace, skipStringRest, skipValue } from '@plumb/wire/json'
import { limitsOf } from '../types/limits.js'
import { hasDefaults } from '../types/required-fields.js'
import { type Field, JSON_TYPE, type RecordType, resolve, type Type } from '../types/type.js'
import { skipPlainString } from './keys.js'
import { type Projection, projectionOf, slotsOf } from './projection.js'
import type { Path } from './scanner.js'
import { refuseExcess, ScannerCode } from './scanner-code.js'

/**
 * Returns the offset after the message that begins at `at`, or -1 if it has another shape; what it accepts has the type, and `captures` is
 * as the scanner leaves it. The bytes are valid UTF-8, and there is an 0x0A at the end of the line; `view` is a view of all of `buf`.
 */
export type ShapeScan = (buf: Uint8Array, view: DataView, at: number, captures: Int32Array) => number

/** `buf[start..end)` is a message that the scanner has accepted. Undefined: no other message would have its shape. */
export const shapeScan = (type: Type, paths: readonly Path[], buf: Uint8Array, start: number, end: number): ShapeScan | undefined => {
  if (hasDefaults(type)) return undefined
  const wanted = projectionOf(paths)
  const code = new ScannerCode(2 * paths.length, false)
  const layout = new Layout(code, buf)
  if (layout.value(type, wanted, start, 0) !== end || layout.longest > MAX_PIECE_BYTES) return undefined
  const resets = slotsOf(wanted).map((k) => `captures[${2 * k}] = -1`)
  return code.compile(`(buf, view, i, captures) => {
const safe = buf.length - ${layout.longest}
waste = 0; far = i; most = ${MAX_WASTE}
${resets.join('; ')}
let c = 0
${layout.finish(end)}
return i
}`) as ShapeScan
}

/** Longer keys are not worth comparing so. */
const MAX_PIECE_BYTES = 1024
/** Maximum bytes that may be read in vain where variants are tried. */
const MAX_WASTE = 65_536

class Layout {
  /** Bytes of the longest text between two values. */
  longest = 0
  readonly #lines: string[] = []
  /** The start of the text that is not emitted yet. */
  #from: number
  #marks = 0

  constructor(
    private readonly code: ScannerCode,
    private readonly buf: Uint8Array,
  ) {
    this.#from = -1
  }

  /** Emits code that accepts the value at `at`, and returns the offset after it; -1 if no code can be emitted. */
  value(type: Type, wanted: Projection | undefined, at: number, depth: number): number {
    if (this.#from < 0) this.#from = at
    const t = resolve(type)
    if (t.kind !== 'record') return this.#leaf(type, wanted, at, depth)
    const slots = wanted?.slots ?? []
    if (slots.length === 0) return this.#record(t, wanted, at, depth)
    this.#between(at)
    const mark = `m${this.#marks++}`
    this.#lines.push(`const ${mark} = i`)
    const end = this.#record(t, wanted, at, depth)
    if (end < 0) return -1
    this.#between(end)
    for (const k of slots) this.#lines.push(`captures[${2 * k}] = ${mark}; captures[${2 * k + 1}] = i`)
    return end
  }

  /** All emitted code, up to `end`. */
  finish(end: number): string {
    this.#between(end)
    return this.#lines.join('\n')
  }

  #leaf(type: Type, wanted: Projection | undefined, at: number, depth: number): number {
    this.#between(at)
    this.#lines.push('c = buf[i]', `{\n${this.code.value(type, wanted, String(depth))}\n}`)
    const end = skipValue(this.buf, at, depth)
    this.#from = end
    return end
  }

  #record({ fields, isOpen }: RecordType, wanted: Projection | undefined, at: number, depth: number): number {
    const { buf } = this
    let i = skipSpace(buf, at + 1)
    if (buf[i] === CLOSE) return i + 1
    for (;;) {
      const end = skipStringRest(buf, i + 1)
      const key = Buffer.from(buf.subarray(i + 1, end - 1)).toString()
      const declared = fields.find(({ name }) => name === key)
      const isPlain = skipPlainString(buf, i) === end
      const field: Field | undefined = declared ?? (isOpen && isPlain ? { name: key, type: JSON_TYPE, isOptional: true } : undefined)
      // A key with escapes.
      if (!field) return -1
      i = this.#field(field, wanted?.below.get(key), skipSpace(buf, skipSpace(buf, end) + 1), depth + 1)
      if (i < 0) return -1
      i = skipSpace(buf, i)
      if (buf[i] === CLOSE) return i + 1
      i = skipSpace(buf, i + 1)
    }
  }

  #field(field: Field, wanted: Projection | undefined, at: number, depth: number): number {
    const limits = limitsOf(field)
    if (!limits) return this.value(field.type, wanted, at, depth)
    this.#between(at)
    const mark = `m${this.#marks++}`
    this.#lines.push(`const ${mark} = i`)
    const end = this.value(field.type, wanted, at, depth)
    if (end < 0) return -1
    this.#between(end)
    this.#lines.push(refuseExcess(mark, limits))
    return end
  }

  /** The text between the last value and `end`. */
  #between(end: number): void {
    const bytes = this.buf.subarray(this.#from, end)
    this.#from = end
    if (bytes.length === 0) return
    this.longest = Math.max(this.longest, bytes.length)
    this.#lines.push(`if (i > safe || ${differs(bytes)}) return -1`, `i += ${bytes.length}`)
  }
}

const CLOSE = 125

const differs = (bytes: Uint8Array): string => {
  const { length } = bytes
  if (length < 4) return [...bytes].map((byte, k) => `buf[i + ${k}] !== ${byte}`).join(' || ')
  const places = Array.from({ length: Math.ceil(length / 4) }, (_, k) => Math.min(4 * k, length - 4))
  const words = new DataView(bytes.buffer, bytes.byteOffset, length)
  return places.map((at) => `view.getInt32(i + ${at}, true) !== ${words.getInt32(at, true)}`).join(' || ')
}
