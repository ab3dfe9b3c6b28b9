// The kept answers of this process, which children of ours get without an option; apart, since every program that starts children has it.

/** Where children of ours have the counts of the run: see `joinKept`. */
export const KEPT_FD = 11

export interface CurrentKept {
  readonly fd: number
  /** Nothing is asked that is not kept. */
  readonly isOnly: boolean
}

let current: CurrentKept | undefined

export const currentKept = (): CurrentKept | undefined => current

/** Undefined: none any more. */
export const setCurrentKept = (kept: CurrentKept | undefined): void => {
  current = kept
}
