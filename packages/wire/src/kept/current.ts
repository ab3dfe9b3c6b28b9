// The kept answers of this process, which children of ours get without an option; apart, since every program that starts children has it.

/** Where children of ours have the counts of the run: see `joinKept`. */
export const KEPT_FD = 11

let current: { readonly fd: number } | undefined

export const currentKept = (): { readonly fd: number } | undefined => current

/** Undefined: none any more. */
export const setCurrentKept = (kept: { readonly fd: number } | undefined): void => {
  current = kept
}
