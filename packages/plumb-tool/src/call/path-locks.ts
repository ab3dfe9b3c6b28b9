// Calls that write the same path wait for each other, in the order in which they came.

import { realPath } from './real-path.js'

export type Release = () => void

/** Path → what is over when all who came before are done. Paths mean the same to every tool of this process, so there is one table. */
const tails = new Map<string, Promise<void>>()

/**
 * Undefined: the signal fired first. A call takes its place in all its queues at once, so that each waits only for calls that came before
 * it, and no circle can form.
 */
export const lockPaths = async (paths: readonly string[], signal: AbortSignal): Promise<Release | undefined> => {
  const files = new Set(paths.map(realPath))
  const before = Promise.all([...files].map((file) => tails.get(file)))
  let finish: Release = () => {}
  const own = new Promise<void>((done) => {
    finish = done
  })
  // One who gives up leaves its place, not those before it.
  const over = Promise.all([before, own]).then(() => {
    for (const file of files) if (tails.get(file) === over) tails.delete(file)
  })
  for (const file of files) tails.set(file, over)
  const isFirst = await firstOf(before, signal)
  if (isFirst) return finish
  finish()
  return undefined
}

/** True: they are done; false: the signal fired first. */
const firstOf = (before: Promise<unknown>, signal: AbortSignal): Promise<boolean> =>
  new Promise((settle) => {
    const giveUp = (): void => settle(false)
    if (signal.aborted) return giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    void before.then(() => {
      signal.removeEventListener('abort', giveUp)
      settle(true)
    })
  })
