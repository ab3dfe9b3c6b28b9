// A channel whose receiver looks at each message: the source is json, or defaults are to be filled in.

import { type Sink, type Stage, Verdict } from '@plumb/lang'
import type { Fault } from '@plumb/wire'
import type { Channel } from './channel.js'

export interface CheckOptions {
  readonly stage: Stage
  readonly sink: Sink
  /** Undefined: what does not fit is dropped without a word. */
  readonly onMismatch: ((fault: Fault) => void) | undefined
  /** Told of each that does not fit. */
  readonly lost: (() => void) | undefined
}

export class CheckedChannel implements Channel {
  constructor(
    private readonly inner: Channel,
    private readonly options: CheckOptions,
  ) {}

  send(buf: Buffer, start: number, end: number): void {
    const { stage, sink, onMismatch, lost } = this.options
    const verdict = stage.run(buf, start, end, sink)
    if (verdict === Verdict.PASS) this.inner.send(buf, start, end)
    else if (verdict === Verdict.WROTE) this.inner.send(sink.buf, sink.start, sink.end)
    else {
      if (stage.fault) onMismatch?.(stage.fault)
      lost?.()
    }
  }

  close(): void {
    this.inner.close()
  }
}
