// Waits with a limit.

import { startDeadline } from '@plumb/wire'

/** `undefined` when the time is up; a later result of `work` is dropped. */
export const waitAtMost = async <T>(ms: number, work: Promise<T>): Promise<T | undefined> => {
  let forget: (() => void) | undefined
  const late = new Promise<undefined>((resolve) => {
    forget = startDeadline(ms, () => resolve(undefined))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    forget?.()
  }
}

/** The maximum of timers, and so of every wait. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1
