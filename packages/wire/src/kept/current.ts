// The kept answers of this process, which our children get without an option; a separate file, since every program that starts children
// loads it.

/** The descriptor of the run's counters in our children: see `joinKept`. */
export const KEPT_FD = 11

export interface CurrentKept {
  readonly fd: number
  /** Nothing is requested that is not kept. */
  readonly isOnly: boolean
}

let current: CurrentKept | undefined

export const currentKept = (): CurrentKept | undefined => current

/** Undefined: none any more. */
export const setCurrentKept = (kept: CurrentKept | undefined): void => {
  current = kept
}
