// What a child is sent, on one stream: plain lines for one port, envelopes for several. The stream ends when all its ports have.

import { enclose, encloseEof, type LineWriter } from '@plumb/wire'

export class ChildInput {
  readonly #open: Set<string>

  constructor(
    readonly writer: LineWriter,
    ports: readonly string[],
    private readonly isEnveloped: boolean,
  ) {
    this.#open = new Set(ports)
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
