// A signal that fires when its time is up, or another one does.

import { startDeadline } from '@plumb/wire'

export interface Deadline {
  readonly signal: AbortSignal
  clear(): void
}

export const openDeadline = (outer: AbortSignal, ms: number): Deadline => {
  const controller = new AbortController()
  const abort = () => controller.abort()
  if (outer.aborted) abort()
  outer.addEventListener('abort', abort)
  const forget = startDeadline(ms, abort)
  return {
    signal: controller.signal,
    clear: () => {
      forget()
      outer.removeEventListener('abort', abort)
    },
  }
}
