// The line ends of a text: which it has, how to give them to text that is put into it, and how to find text whatever ends it has.

export type LineEnd = '\n' | '\r\n'

/** `undefined`: no line ends, or several kinds. */
export const lineEndOf = (text: string): LineEnd | undefined => {
  const first = text.indexOf('\n')
  if (first < 0) return undefined
  const end = endBefore(text, first)
  return (end === '\n' ? /\r\n/ : /(?<!\r)\n/).test(text) ? undefined : end
}

/** The line end at a place: of its line, else of the one before. Places are asked for in order. */
export const lineEndsAt = (text: string): ((place: number) => LineEnd | undefined) => {
  let next = text.indexOf('\n')
  let last: LineEnd | undefined
  return (place) => {
    for (; next >= 0 && next < place; next = text.indexOf('\n', next + 1)) last = endBefore(text, next)
    return next < 0 ? last : endBefore(text, next)
  }
}

const endBefore = (text: string, newline: number): LineEnd => (text[newline - 1] === '\r' ? '\r\n' : '\n')

export const withLineEnds = (text: string, end: LineEnd | undefined): string => (end ? text.replace(/\r?\n/g, end) : text)

/** A text with line feeds alone. */
export class FoldedText {
  readonly folded: string
  /** Where in it a carriage return was left out. */
  readonly #returns: number[] = []

  constructor(text: string) {
    for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) this.#returns.push(at - this.#returns.length)
    this.folded = this.#returns.length === 0 ? text : text.replaceAll('\r\n', '\n')
  }

  /** The place in the text as it was. */
  toOriginal(place: number): number {
    let [low, high] = [0, this.#returns.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#returns[middle] as number) < place) low = middle + 1
      else high = middle
    }
    return place + low
  }
}
