// Work in turns: descriptors that always have more must not keep the event loop from hearing the others.

/** Runs `work` at once when it has not run in this turn of the event loop yet, else in the next. */
export const onceATurn = (work: () => void): (() => void) => {
  let hasRun = false
  let isWanted = false
  const run = (): void => {
    hasRun = true
    setImmediate(nextTurn)
    work()
  }
  const nextTurn = (): void => {
    hasRun = false
    if (!isWanted) return
    isWanted = false
    run()
  }
  return () => {
    if (hasRun) isWanted = true
    else run()
  }
}
