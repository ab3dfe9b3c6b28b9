// Watches the editor's process, if `initialize` names it: a server whose editor has ended must end.

const POLL_MS = 1000

/** Calls `onGone` once, when the process has ended. Returns a function that stops watching. */
export const watchParent = (pid: unknown, onGone: () => void): (() => void) => {
  if (!Number.isSafeInteger(pid) || Number(pid) <= 0) return () => {}
  const timer = setInterval(() => {
    if (isAlive(Number(pid))) return
    clearInterval(timer)
    onGone()
  }, POLL_MS)
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
