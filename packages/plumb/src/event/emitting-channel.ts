// A channel that emits an event for each message as it reaches its receiver.

import type { Channel } from '../graph/channel.js'
import type { InputContext } from '../graph/input-context.js'
import type { RunEmitter } from './emitter.js'
import type { WireInfo } from './run-event.js'

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
