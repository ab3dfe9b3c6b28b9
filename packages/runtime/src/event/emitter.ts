// Passes the events of a run on to its listeners. A run without listeners has no emitter, and makes no events.

import { nowMs } from '@plumb/wire'
import type { Channel } from '../graph/channel.js'
import type { InputContext } from '../graph/input-context.js'
import type { RunListener, UntimedEvent, WireInfo } from './run-event.js'

export interface RunEmitter {
  /** False: its listeners look at processes alone, and no event is made of the messages on wires. */
  readonly hasWires?: boolean
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

/** Emits an event for each message as it reaches its receiver. */
export class EmittingChannel implements Channel {
  constructor(
    private readonly inner: Channel,
    private readonly wire: WireInfo,
    private readonly current: InputContext,
    private readonly emitter: RunEmitter,
  ) {}

  send(buf: Buffer, start: number, end: number): void {
    const { wire, current, emitter } = this
    emitter.emit({ kind: 'message', wire, seq: current.seq, buf, start, end })
    this.inner.send(buf, start, end)
  }

  close(): void {
    this.inner.close()
  }
}
