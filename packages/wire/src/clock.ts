// Milliseconds since this process began, never going back. Not performance.now(): the first use of that loads 2 ms of Node.

export const nowMs = (): number => process.uptime() * 1000

// A timer is this late only if the process was stopped or got no processor.
const STALL_MS = 250
// Then input that has come meanwhile is read first.
const EXTENSION_MS = 1000
const MAX_EXTENSIONS = 3
// With a longer delay a timer fires at once.
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Calls `act` after so many milliseconds; later if this process was held up, so that an answer that had come by then is not late. Returns a
 * function that cancels it.
 */
export const startDeadline = (ms: number, act: () => void): (() => void) => {
  let timer: NodeJS.Timeout
  const wait = (ms: number, respites: number): void => {
    const dueMs = nowMs() + ms
    timer = setTimeout(() => {
      if (respites > 0 && nowMs() - dueMs > STALL_MS) wait(EXTENSION_MS, respites - 1)
      else act()
    }, ms)
  }
  wait(Math.min(ms, MAX_TIMER_MS), MAX_EXTENSIONS)
  return () => clearTimeout(timer)
}
