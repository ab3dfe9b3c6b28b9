// So many calls at once in the whole server; the others wait their turn, and who gives up waiting leaves the queue.

import { fail, type Result, succeed } from '@plumb/wire'

export interface Turns {
  /** Resolves when it is its turn, to how it is given back. `overloaded` where too many wait, `cancelled` where it was given up. */
  take(signal: AbortSignal): Promise<Result<() => void>>
}

const MOST_WAITING = 10_000

export const openTurns = (count: number): Turns => {
  let free = count
  const waiting = new Set<() => void>()
  const give = (): void => {
    const [next] = waiting
    if (next) {
      waiting.delete(next)
      next()
    } else free++
  }
  return {
    take: async (signal) => {
      if (signal.aborted) return CANCELLED
      if (free > 0) free--
      else if (waiting.size >= MOST_WAITING) return fail('overloaded', 'too many calls wait already: try again later')
      else if (!(await wait(waiting, signal))) return CANCELLED
      return succeed(once(give))
    },
  }
}

const CANCELLED = fail('cancelled', 'the call was given up before its turn came')

const wait = (waiting: Set<() => void>, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const go = (): void => {
      signal.removeEventListener('abort', leave)
      resolve(true)
    }
    const leave = (): void => {
      waiting.delete(go)
      resolve(false)
    }
    waiting.add(go)
    signal.addEventListener('abort', leave, { once: true })
  })

const once = (work: () => void): (() => void) => {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}
