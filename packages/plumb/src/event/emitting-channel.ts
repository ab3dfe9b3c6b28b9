// A channel that somebody watches: each message is told of as it reaches its receiver.

import type { Channel } from '../channel.js'
import type { Current } from '../current.js'
import type { RunEmitter } from './emitter.js'
import type { WireInfo } from './run-event.js'

export class EmittingChannel implements Channel {
  constructor(
    private readonly inner: Channel,
    private readonly wire: WireInfo,
    private readonly current: Current,
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
