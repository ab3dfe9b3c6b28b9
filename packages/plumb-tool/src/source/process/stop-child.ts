// A child that is not waited for any longer is ended with all its group.

import type { Child, Exit } from '@plumb/wire'

/** Between TERM and KILL. */
export const GRACE_MS = 400

/** The status by which a program says that its failure may pass (sysexits(3)). */
export const EX_TEMPFAIL = 75

/** Before it is told to go. */
export interface Notice {
  readonly ask: () => void
  readonly graceMs: number
}

/** How it ended; or `aborted`, once the signal has fired and the child has gone. */
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
