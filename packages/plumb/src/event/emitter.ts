// Passes on what happens to all who emitter. Where nobody does there is none of it, and what would have to tell it is built without.

import { nowMs } from '@plumb/wire'
import type { RunListener, UntimedEvent } from './run-event.js'

export interface RunEmitter {
  emit(news: UntimedEvent): void
  /** Resolves when all have finished. */
  finish(): Promise<void>
}

/** Undefined: nobody watches. */
export const openEmitter = (watchers: readonly RunListener[]): RunEmitter | undefined => {
  if (watchers.length === 0) return undefined
  const startMs = nowMs()
  return {
    emit: (news) => {
      const event = { ms: Math.round((nowMs() - startMs) * 1000) / 1000, ...news }
      for (const watcher of watchers) watcher.on(event)
    },
    finish: async () => {
      await Promise.all(watchers.map((watcher) => watcher.finish?.()))
    },
  }
}
