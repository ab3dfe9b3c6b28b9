// Which inputs the messages of a child came from: the n-th message that it was sent → the `seq` of the input.

/** Of a child that keeps more than these in hand, the oldest are forgotten. */
const MOST = 1 << 20
const SPENT = 4096
/** More of them are of no use to anybody. */
const MOST_RANGES = 1000

export class Origins {
  #seqs: number[] = []
  /** `#seqs[i]` is that of message `#first + i`; those before `#from` are not asked for any more. */
  #first = 1
  #from = 1

  /** 0 where it is not known. */
  add(seq: number): void {
    this.#seqs.push(seq)
    if (this.#seqs.length > MOST) this.forget(this.#first + MOST / 2)
  }

  /** The input of the n-th message, from 1; 0 where it is not known. */
  of(n: number): number {
    return this.#seqs[n - this.#first] ?? 0
  }

  /** The first n messages are done with. */
  forget(n: number): void {
    this.#from = Math.max(this.#from, n + 1)
    const spent = Math.min(this.#from - this.#first, this.#seqs.length)
    if (spent < SPENT || spent * 2 < this.#seqs.length) return
    this.#seqs = this.#seqs.slice(spent)
    this.#first += spent
  }
}

/** Puts one more seq behind the others, to a limit. */
export const addTo = (ranges: [number, number][], seq: number): void => {
  const last = ranges.at(-1)
  if (seq === 0) return
  if (last && (seq === last[1] || seq === last[1] + 1)) last[1] = seq
  else if (ranges.length < MOST_RANGES) ranges.push([seq, seq])
}
