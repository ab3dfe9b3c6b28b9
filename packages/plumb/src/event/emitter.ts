// Passes on what happens to all who watch. Where nobody does there is none of it, and what would have to tell it is built without.

import { nowMs } from '@plumb/wire'
import type { Watcher, WatchNews } from './run-event.js'

export interface Watch {
  tell(news: WatchNews): void
  /** Resolves when all have finished. */
  finish(): Promise<void>
}

/** Undefined: nobody watches. */
export const openWatch = (watchers: readonly Watcher[]): Watch | undefined => {
  if (watchers.length === 0) return undefined
  const startMs = nowMs()
  return {
    tell: (news) => {
      const event = { ms: Math.round((nowMs() - startMs) * 1000) / 1000, ...news }
      for (const watcher of watchers) watcher.on(event)
    },
    finish: async () => {
      await Promise.all(watchers.map((watcher) => watcher.finish?.()))
    },
  }
}
