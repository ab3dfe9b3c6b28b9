// The value of a local while generated code is at one item: `b7`, `a7` and `e7` say in which buffer it stands, where it begins and where it
// ends; `k7` are the captures of its parts (scan/scanner.ts).

import type { Path } from '../../scan/scanner.js'
import type { Type } from '../../types/type.js'

/** Expressions of generated code that say where a part stands. */
export interface CodeExtent {
  readonly buf: string
  readonly start: string
  readonly end: string
  /** Of variables for what is decoded of it. */
  readonly name: string
}

export class LocalCode {
  /** Parts that are looked for in each item. */
  readonly paths: Path[] = []
  /** To be declared anew for each item. */
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
