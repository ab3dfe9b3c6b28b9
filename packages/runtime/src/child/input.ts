// The input of a child, on one stream: plain lines for one port, envelopes for several. The stream ends when all its ports have.

import { enclose, encloseEof, type LineSink, LineWriter } from '@plumb/wire'
import type { Buffering } from '../graph/backpressure.js'
import { type ChildOptions, fdOf } from './options.js'

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

type InputOptions = Pick<ChildOptions, 'inputs' | 'child' | 'isEnveloped' | 'kind'>

/** By input: control has a descriptor of its own, and all others are on stdin. */
export const openInputs = (
  { inputs, child, isEnveloped, kind }: InputOptions,
  isHeldBack: (isControl: boolean) => boolean,
  wake: () => void,
): ChildInput[] => {
  // A receiver that reads no more is no longer full.
  const open = (stream: LineSink) => new LineWriter(stream, { onDrain: wake, onClosed: wake })
  const isControl = (name: string) => name === 'ctrl_in' && fdOf(kind, name) !== undefined
  const onStdin = inputs.filter(({ name }) => !isControl(name)).map(({ name }) => name)
  const data = new ChildInput(open(child.stdin), onStdin, isEnveloped, () => isHeldBack(false))
  return inputs.map(({ name }) => {
    const fd = fdOf(kind, name)
    const stream = fd === undefined ? undefined : child.fds.get(fd)
    return stream && 'write' in stream ? new ChildInput(open(stream), [name], false, () => isHeldBack(isControl(name))) : data
  })
}
