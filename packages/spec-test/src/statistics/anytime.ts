// Whether two variants differ, asked after every row: an interval and a p that hold at any number of rows, wherever one stops.

/** Of the shares from -1 to 1. */
const STEPS = 2000
/** The most that is bet on one row, as a part of the stake. */
const MOST = 0.5

/**
 * The mean of differences from -1 to 1 by betting against each mean that it could be: I. Waudby-Smith and A. Ramdas, "Estimating means of bounded
 * random variables by betting", Journal of the Royal Statistical Society B 86 (2024), 1–27, with the hedged capital and the predictable plug-in of
 * its sections 4.2 and 4.4. A mean whose stake has grown to 1 / alpha is not the mean; the chance that this ever happens to the true one is
 * alpha.
 */
export class AnytimeMean {
  readonly #alpha: number
  /** Of each mean in question, as a share from 0 to 1: the stakes of who bets on more, and of who bets on less. */
  readonly #more = new Float64Array(STEPS + 1).fill(1)
  readonly #less = new Float64Array(STEPS + 1).fill(1)
  #first = 0
  #last = STEPS
  #count = 0
  #sum = 0.5
  #spread = 0.25
  #none = { more: 1, less: 1, most: 1 }

  constructor(alpha: number) {
    this.#alpha = alpha
  }

  add(difference: number): void {
    const x = (difference + 1) / 2
    this.#count++
    const t = this.#count
    // What is bet depends on the rows before this one alone.
    const bet = Math.sqrt((2 * Math.log(2 / this.#alpha)) / (this.#spread * Math.log(t + 1)))
    for (let i = this.#first; i <= this.#last; i++) {
      const m = i / STEPS
      this.#more[i] = (this.#more[i] as number) * (1 + Math.min(bet, MOST / m) * (x - m))
      this.#less[i] = (this.#less[i] as number) * (1 - Math.min(bet, MOST / (1 - m)) * (x - m))
    }
    this.#narrow()
    const none = this.#none
    none.more *= 1 + Math.min(bet, 2 * MOST) * (x - 0.5)
    none.less *= 1 - Math.min(bet, 2 * MOST) * (x - 0.5)
    none.most = Math.max(none.most, none.more / 2, none.less / 2)
    this.#sum += x
    this.#spread += (x - this.#sum / (t + 1)) ** 2
  }

  /** The interval of the mean at 1 - alpha. */
  get interval(): { readonly low: number; readonly high: number } {
    // By a step to the outside, since a mean between two steps has not been asked.
    const at = (i: number): number => (2 * Math.min(STEPS, Math.max(0, i))) / STEPS - 1
    return { low: at(this.#first - 1), high: at(this.#last + 1) }
  }

  /** The p that the mean is 0. */
  get p(): number {
    return Math.min(1, 1 / this.#none.most)
  }

  // The means that are left are an interval.
  #narrow(): void {
    const isOut = (i: number): boolean => Math.max(this.#more[i] as number, this.#less[i] as number) / 2 >= 1 / this.#alpha
    while (this.#first < this.#last && isOut(this.#first)) this.#first++
    while (this.#last > this.#first && isOut(this.#last)) this.#last--
  }
}
