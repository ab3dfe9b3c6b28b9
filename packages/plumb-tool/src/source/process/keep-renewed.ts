// While a child runs, what its giver is granted anew is granted to it too.

export interface Renewal {
  /** Hands down what the giver may do now. */
  readonly renew: () => void
  readonly everyMs: number
}

/** Returns how to stop. */
export const renewRegularly = ({ renew, everyMs }: Renewal): (() => void) => {
  const timer = setInterval(renew, everyMs)
  return () => clearInterval(timer)
}
