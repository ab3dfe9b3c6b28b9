// What a run tells its parent of its inputs.

/** What is known at the end of a slice of work. */
export interface ParentReport {
  /** `taken`: inputs so far, good or bad; `isIdle`: nothing is left to do now. */
  report(taken: number, isIdle: boolean, rest: () => Rest): void
}

/** The messages in a process. */
export interface Rest {
  /** Nothing is in flight: all of them wait for others. */
  readonly isStill: boolean
  /** Some of them in batches. */
  readonly isBatched: boolean
}
