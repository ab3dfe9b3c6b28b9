// The process that started us, if it says which it is: without it nobody would end us.

const LOOK_EVERY_MS = 1000

/** Calls `onGone` once, when there is no such process. Gives what stops the watch. */
export const watchParent = (pid: unknown, onGone: () => void): (() => void) => {
  if (!Number.isSafeInteger(pid) || Number(pid) <= 0) return () => {}
  const timer = setInterval(() => {
    if (isAlive(Number(pid))) return
    clearInterval(timer)
    onGone()
  }, LOOK_EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}

// A process of another user cannot be signalled, but it is there.
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}
