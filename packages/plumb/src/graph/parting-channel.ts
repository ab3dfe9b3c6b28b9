// A channel from a place where the branches of a barrier part: what it carries gets an origin of its own there.

import type { Place } from '@plumb/lang'
import type { Channel } from './channel.js'
import type { InputContext } from './input-context.js'

export class PartingChannel implements Channel {
  constructor(
    private readonly inner: Channel,
    private readonly place: Place,
    private readonly current: InputContext,
  ) {}

  send(buf: Buffer, start: number, end: number): void {
    const { inner, place, current } = this
    const origin = current.origin.at(place)
    const before = current.enter(origin)
    inner.send(buf, start, end)
    current.leave(before)
    origin.release()
  }

  close(): void {
    this.inner.close()
  }
}
