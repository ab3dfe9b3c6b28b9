// A dim line on a terminal while nothing comes; what is written next takes its place.

import { paint } from '@plumb/wire'

export interface WaitingSign {
  /** From now on, or no longer, something is waited for. */
  wait(isWaiting: boolean): void
  /** Something is written now: the sign is taken away, and comes back after a while. */
  clear(): void
}

export interface SignOptions {
  readonly write: (text: string) => void
  /** Nothing else has the line that the cursor is in. */
  readonly isFree: () => boolean
  readonly columns: () => number
  /** Milliseconds until it is shown: an answer that comes at once needs none. */
  readonly afterMs?: number
}

const TEXT = 'waiting for an answer…'
const ERASED = '\r\x1b[K'
const AFTER_MS = 400

export const openWaitingSign = ({ write, isFree, columns, afterMs = AFTER_MS }: SignOptions): WaitingSign => {
  let isWaiting = false
  let isShown = false
  let timer: NodeJS.Timeout | undefined
  const show = (): void => {
    if (!isFree() || columns() <= TEXT.length) return
    isShown = true
    write(paint('dim', TEXT))
  }
  const clear = (): void => {
    clearTimeout(timer)
    if (isShown) write(ERASED)
    isShown = false
    if (isWaiting) timer = setTimeout(show, afterMs).unref()
  }
  return {
    wait: (isAwaited) => {
      if (isAwaited && isWaiting) return
      isWaiting = isAwaited
      clear()
    },
    clear,
  }
}
