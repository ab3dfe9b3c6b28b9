// The result of a comparison, from what compares to the reporters. Members are named as in the line of --reporter json.

export interface ComparedVariant {
  readonly variant: string
  readonly rows: number
  /** Of rows that were held, or the mean of their scores. */
  readonly share?: number
  readonly mean?: number
  readonly low: number
  readonly high: number
  /** To the baseline, which has none of these. */
  readonly difference?: number
  readonly difference_low?: number
  readonly difference_high?: number
  readonly mcnemar_p?: number
  readonly adjusted_p?: number
  readonly better?: number
  readonly worse?: number
  readonly equal?: number
  readonly errors: Readonly<Record<string, number>>
  /** Dollars, as if it had run alone. */
  readonly cost: number
  /** Models without a price, if any. */
  readonly unpriced?: readonly string[]
  readonly tokens: number
  readonly requests: number
  readonly p50_ms: number
  readonly p95_ms: number
  readonly pass_at_k?: number
  readonly pass_all_k?: number
  readonly order_decided?: number
  readonly alpha?: number
  readonly verdict?: 'better' | 'worse' | 'no difference'
  readonly would_see?: number
  readonly stopped_at?: number
  readonly first_wires?: Readonly<Record<string, number>>
}

export interface ComparedTest {
  readonly test: string
  /** `spec.plumb:3:1: "name" of main`. */
  readonly title: string
  readonly baseline: string
  readonly variants: readonly ComparedVariant[]
  /** The number of comparisons among which p was corrected, if there are several. */
  readonly corrected?: number
  /** Of each row of the data, where some were not asked. */
  readonly total: number
}

/** A test that could not be compared, and why. */
export interface Uncompared {
  readonly title: string
  readonly why: string
}
