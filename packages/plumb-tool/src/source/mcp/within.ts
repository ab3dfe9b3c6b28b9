// A wait with an end.

/** `undefined` when the time is up; what `work` does then is nobody's. */
export const within = async <T>(ms: number, work: Promise<T>): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.min(ms, LONGEST_MS))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Timers cannot be longer; nor is any wait. */
export const LONGEST_MS = 2 ** 31 - 1
