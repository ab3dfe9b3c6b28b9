// Work at most once in a turn of the event loop, so that a descriptor that always has more does not starve the others.

/** Runs `work` at once if it has not run in this turn of the event loop, else in the next turn. */
export const oncePerTurn = (work: () => void): (() => void) => {
  let hasRun = false
  let isRequested = false
  const run = (): void => {
    hasRun = true
    setImmediate(startTurn)
    work()
  }
  const startTurn = (): void => {
    hasRun = false
    if (!isRequested) return
    isRequested = false
    run()
  }
  return () => {
    if (hasRun) isRequested = true
    else run()
  }
}
