// A pause that ends when its time is up, or when nobody waits for what comes after it.

export type Wait = (ms: number, signal: AbortSignal) => Promise<void>

export const wait: Wait = (ms, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
