// Descriptor 3 of a child: `settled` is for this process, everything else for the processes wired to the port.

import { type LineReader, parseJson, type Settled } from '@plumb/wire'
import type { Outlet } from '../graph/channel.js'
import { deferred } from '../graph/deferred.js'
import type { ChildStream } from './output.js'

/** `settled` comes first in an object, as all kinds do. */
const KIND_BYTES = 64

export class ChildTelemetry implements ChildStream {
  hasEnded = false
  isDry = false
  readonly #ended = deferred()
  readonly ended = this.#ended.promise

  constructor(
    private readonly reader: LineReader,
    private readonly outlet: Outlet | undefined,
    private readonly settle: (settled: Settled) => void,
    /** Called with the number of the input that its next output answers, if it reports that. */
    private readonly announce: ((n: number) => void) | undefined,
    /** Called for each line that is not for this process alone; false: it does not go to the port either. */
    private readonly forward: ((reader: LineReader) => boolean) | undefined,
    /** False: an earlier error is still to be read. Undefined: none has to be. */
    private readonly isOpen: (() => boolean) | undefined,
  ) {}

  // Always read, whether there is space after it or not: its reports must not block it.
  canRun(): boolean {
    return !this.isDry && !this.hasEnded && this.isOpen?.() !== false
  }

  step(): number {
    const { reader, outlet } = this
    if (!reader.next()) {
      this.isDry = true
      if (reader.hasEnded) this.end()
      return 0
    }
    if (reader.fault) return 1
    const settled = settledIn(reader)
    if (this.announce) this.#readOutput(this.announce)
    if (settled) this.settle(settled)
    else if (this.forward?.(reader) !== false) outlet?.send(reader.buf, reader.start, reader.end)
    return 1
  }

  #readOutput(announce: (n: number) => void): void {
    const { buf, start, end } = this.reader
    if (!buf.subarray(start, Math.min(end, start + KIND_BYTES)).includes('output')) return
    const parsed = parseJson(buf, start, end)
    const { kind, seq } = (parsed.ok ? parsed.value : {}) as { kind?: unknown; seq?: unknown }
    if (kind === 'output' && Number.isSafeInteger(seq)) announce(seq as number)
  }

  /** All that has come. */
  readAll(): void {
    while (this.canRun() && this.step() > 0);
  }

  end(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.reader.stop()
    this.outlet?.close()
    this.#ended.resolve()
  }
}

const settledIn = ({ buf, start, end }: LineReader): Settled | undefined => {
  if (!buf.subarray(start, Math.min(end, start + KIND_BYTES)).includes('settled')) return undefined
  const parsed = parseJson(buf, start, end)
  const event = parsed.ok ? (parsed.value as Settled) : undefined
  const isSettled = event?.kind === 'settled' && [event.inputs, event.controls, event.outputs].every(Number.isSafeInteger)
  return isSettled ? event : undefined
}
