// The value of a local in generated code: `b7`, `a7` and `e7` are its buffer, start and end; `k7` are the captures of its parts
// (scan/scanner.ts).

import type { Path } from '../../scan/scanner.js'
import type { Type } from '../../types/type.js'

/** JavaScript expressions for the location of a part. */
export interface CodeExtent {
  readonly buf: string
  readonly start: string
  readonly end: string
  /** Variables for decoded parts. */
  readonly name: string
}

export class LocalCode {
  /** Parts that are captured in each item. */
  readonly paths: Path[] = []
  /** Declared again for each item. */
  readonly variables = new Set<string>()
  readonly #slots = new Map<string, number>()

  constructor(
    readonly type: Type,
    readonly number: number,
  ) {}

  extent(path: Path): CodeExtent {
    const { number } = this
    const buf = `b${number}`
    if (path.length === 0) return { buf, start: `a${number}`, end: `e${number}`, name: `_${number}` }
    const key = JSON.stringify(path)
    const slot = this.#slots.get(key) ?? this.paths.push(path) - 1
    this.#slots.set(key, slot)
    return { buf, start: `k${number}[${2 * slot}]`, end: `k${number}[${2 * slot + 1}]`, name: `_${number}_${slot}` }
  }
}
