// The stage that serialises calls which write the same path, in order of arrival.

import { realPath } from '@plumb/sandbox'
import { preview } from '@plumb/wire'
import { cancelled } from './cancelled.js'
import { note } from './note.js'
import type { TargetsOf } from './targets.js'
import type { Wrap } from './tool.js'

export const withPathLocks =
  (targetsOf: TargetsOf): Wrap =>
  (tool) => ({
    ...tool,
    run: async (input, call) => {
      const { written } = await targetsOf(input, call)
      if (written.length === 0) return tool.run(input, call)
      const asked = call.session.nowMs()
      const release = await lockPaths(written, call.signal)
      if (!release) return cancelled(tool.name)
      if (call.session.nowMs() - asked > 1)
        note(call, 'run', `waited for another call that writes ${written.map((p) => preview(p)).join(', ')}`)
      try {
        return await tool.run(input, call)
      } finally {
        release()
      }
    },
  })

export type Release = () => void

/** Path → a promise that all earlier calls are done. Paths mean the same to every tool of this process, so there is one table. */
const tails = new Map<string, Promise<void>>()

/** Undefined: the signal fired first. A call joins all its queues at once, so it waits only for earlier calls, and no cycle can form. */
const lockPaths = async (paths: readonly string[], signal: AbortSignal): Promise<Release | undefined> => {
  const files = new Set(paths.map(realPath))
  const before = Promise.all([...files].map((file) => tails.get(file)))
  let finish: Release = () => {}
  const own = new Promise<void>((done) => {
    finish = done
  })
  // A cancelled call leaves its place, not those before it.
  const over = Promise.all([before, own]).then(() => {
    for (const file of files) if (tails.get(file) === over) tails.delete(file)
  })
  for (const file of files) tails.set(file, over)
  const isFirst = await firstOf(before, signal)
  if (isFirst) return finish
  finish()
  return undefined
}

/** True: they are done. False: the signal fired first. */
const firstOf = (before: Promise<unknown>, signal: AbortSignal): Promise<boolean> =>
  new Promise((settle) => {
    const onAbort = (): void => settle(false)
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    void before.then(() => {
      signal.removeEventListener('abort', onAbort)
      settle(true)
    })
  })
