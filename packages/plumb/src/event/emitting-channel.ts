// A channel that somebody watches: each message is told of as it reaches its receiver.

import type { Channel } from '../channel.js'
import type { Current } from '../current.js'
import type { Watch } from './emitter.js'
import type { Wire } from './run-event.js'

export class WatchedChannel implements Channel {
  constructor(
    private readonly inner: Channel,
    private readonly wire: Wire,
    private readonly current: Current,
    private readonly watch: Watch,
  ) {}

  send(buf: Buffer, start: number, end: number): void {
    const { wire, current, watch } = this
    watch.tell({ kind: 'message', wire, seq: current.seq, buf, start, end })
    this.inner.send(buf, start, end)
  }

  close(): void {
    this.inner.close()
  }
}
