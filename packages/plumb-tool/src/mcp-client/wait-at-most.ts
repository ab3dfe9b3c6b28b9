// A wait with an end.

import { startDeadline } from '@plumb/wire'

/** `undefined` when the time is up; what `work` gives then is dropped. */
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

/** Timers cannot be longer; nor is any wait. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1
