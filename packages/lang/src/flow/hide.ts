// Removes secrets from JSON text: each secret part becomes `"***"`, everything else stays unchanged.

import { itemAt } from './combine.js'
import { fieldShape, flat, type Shape } from './shape.js'

export const HIDDEN = '***'

/** For messages of a wire with these labels. Undefined: nothing in them is secret. The text must be JSON. */
export const hiderOf = (shape: Shape): ((json: string) => string) | undefined => {
  if (!flat(shape).secret) return undefined
  return (json) => new Hider(json).text(shape)
}

const SPACE = /\s/
const END_OF_WORD = /[,\]}\s]/

class Hider {
  #at = 0
  #copied = 0
  #out = ''

  constructor(private readonly json: string) {}

  text(shape: Shape): string {
    this.#value(shape)
    return this.#out + this.json.slice(this.#copied)
  }

  #value(shape: Shape): void {
    const first = this.#next()
    const hasParts = shape.fields !== undefined || shape.item !== undefined || shape.items !== undefined
    if (shape.tags.secret) {
      this.#out += `${this.json.slice(this.#copied, this.#at)}"${HIDDEN}"`
      this.#skip()
      this.#copied = this.#at
    } else if (hasParts && first === '{') this.#parts(() => fieldShape(shape, this.#key()))
    else if (hasParts && first === '[') this.#parts((i) => itemAt(shape, i))
    else this.#skip()
  }

  #parts(shapeOf: (i: number) => Shape): void {
    this.#at++
    for (let i = 0; !'}]'.includes(this.#next()); i++) {
      this.#value(shapeOf(i))
      if (this.#next() === ',') this.#at++
    }
    this.#at++
  }

  #key(): string {
    const start = this.#at
    this.#skip()
    const key = JSON.parse(this.json.slice(start, this.#at)) as string
    if (this.#next() === ':') this.#at++
    return key
  }

  /** The character after white space; empty at the end, which occurs in any text. */
  #next(): string {
    while (SPACE.test(this.json.charAt(this.#at))) this.#at++
    return this.json.charAt(this.#at)
  }

  /** A whole value. */
  #skip(): void {
    let depth = 0
    do {
      const first = this.#next()
      if (first === '') return
      if (first === '"') this.#skipString()
      else if ('{}[],:'.includes(first)) {
        depth += '{['.includes(first) ? 1 : '}]'.includes(first) ? -1 : 0
        this.#at++
      } else while (this.#at < this.json.length && !END_OF_WORD.test(this.json.charAt(this.#at))) this.#at++
    } while (depth > 0)
  }

  #skipString(): void {
    for (this.#at++; this.#at < this.json.length && this.json[this.#at] !== '"'; this.#at++) if (this.json[this.#at] === '\\') this.#at++
    this.#at++
  }
}
