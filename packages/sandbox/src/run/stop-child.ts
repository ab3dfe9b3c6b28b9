// Waits for a child, and ends it with its whole process group when the call is aborted.

import type { Child, Exit } from '@plumb/wire'

/** Between SIGTERM and SIGKILL. */
export const GRACE_MS = 400

/** The exit status for a temporary failure, sysexits(3). */
export const EX_TEMPFAIL = 75

/** A polite request to stop before SIGTERM. */
export interface Notice {
  readonly ask: () => void
  readonly graceMs: number
}

/** The exit of the child, or `aborted` if the signal fired; either way the child has ended. */
export const stopWhenAborted = (child: Child, signal: AbortSignal, notice?: Notice): Promise<Exit | 'aborted'> =>
  new Promise((resolve) => {
    const end = () => void child.terminate(GRACE_MS).then(() => resolve('aborted'))
    const stop = () => {
      if (!notice) return end()
      notice.ask()
      const timer = setTimeout(end, notice.graceMs)
      void child.exited.then(() => {
        clearTimeout(timer)
        end()
      })
    }
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    void child.exited.then((exit) => {
      signal.removeEventListener('abort', stop)
      if (!signal.aborted) resolve(exit)
    })
  })
