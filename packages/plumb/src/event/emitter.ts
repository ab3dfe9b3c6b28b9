// Passes the events of a run on to its listeners. A run without listeners has no emitter, and makes no events.

import { nowMs } from '@plumb/wire'
import type { RunListener, UntimedEvent } from './run-event.js'

export interface RunEmitter {
  emit(event: UntimedEvent): void
  /** Resolves when all listeners have finished. */
  finish(): Promise<void>
}

/** Undefined: there are no listeners. */
export const openEmitter = (listeners: readonly RunListener[]): RunEmitter | undefined => {
  if (listeners.length === 0) return undefined
  const startMs = nowMs()
  return {
    emit: (event) => {
      const timed = { ms: Math.round((nowMs() - startMs) * 1000) / 1000, ...event }
      for (const listener of listeners) listener.on(timed)
    },
    finish: async () => {
      await Promise.all(listeners.map((listener) => listener.finish?.()))
    },
  }
}
