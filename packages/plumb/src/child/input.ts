// The input of a child, on one stream: plain lines for one port, envelopes for several. The stream ends when all its ports have.

import { enclose, encloseEof, type LineWriter } from '@plumb/wire'
import type { Buffering } from '../graph/backpressure.js'

export class ChildInput implements Buffering {
  readonly #open: Set<string>

  constructor(
    private readonly writer: LineWriter,
    ports: readonly string[],
    private readonly isEnveloped: boolean,
    /** As after its end, while its earlier output is not passed on yet: messages sent then would be lost, when all may end soon. */
    private readonly isHeldBack: () => boolean,
  ) {
    this.#open = new Set(ports)
  }

  get isFull(): boolean {
    return this.writer.isFull || this.isHeldBack()
  }

  send(port: string, buf: Buffer, start: number, end: number): void {
    if (!this.isEnveloped) return this.writer.write(buf, start, end)
    const line = enclose(port, buf, start, end)
    this.writer.write(line, 0, line.length)
  }

  close(port: string): void {
    if (!this.#open.delete(port)) return
    if (this.#open.size === 0) void this.writer.end()
    else if (this.isEnveloped) {
      const line = encloseEof(port)
      this.writer.write(line, 0, line.length)
    }
  }
}
