// What this process shares with all executables of this project that it starts, on descriptors that each gets without an option: the budget,
// and where answers are kept. Here is how it is handed on; what it is for is in the package ledger.

/** The descriptor of the budget in our children. */
export const BUDGET_FD = 10

/** The descriptor of the run's counters of requests in our children. */
export const KEPT_FD = 11

export interface SharedBudget {
  readonly fd: number
  /** Adds a process to those that spend from it, until it leaves. */
  join(): { readonly name: string; leave(): void }
}

let budget: SharedBudget | undefined

export const sharedBudget = (): SharedBudget | undefined => budget

export const shareBudget = (shared: SharedBudget): void => {
  budget = shared
}

export interface CurrentKept {
  readonly fd: number
  /** Nothing is requested that is not kept. */
  readonly isOnly: boolean
}

let kept: CurrentKept | undefined

export const currentKept = (): CurrentKept | undefined => kept

/** Undefined: none any more. */
export const setCurrentKept = (shared: CurrentKept | undefined): void => {
  kept = shared
}
