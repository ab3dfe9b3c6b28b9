// A stream of a child other than its answers: replies to control, or telemetry. What comes on it is about no input.

import { type Stage, Verdict } from '@plumb/lang'
import { fail, type LineReader, preview } from '@plumb/wire'
import type { Backpressure } from '../graph/backpressure.js'
import type { Outlet } from '../graph/channel.js'
import { deferred } from '../graph/deferred.js'
import { Origin } from '../graph/origin.js'
import type { RunContext } from '../graph/run-context.js'
import type { ChildStream } from './output.js'

export interface SideStreamOptions {
  readonly process: string
  readonly reader: LineReader
  readonly name: string
  /** Undefined: no process reads it. */
  readonly port: { readonly outlet: Outlet; readonly stage: Stage } | undefined
  /** Undefined: it is always read. */
  readonly backpressure: Backpressure | undefined
  /** Called with each line; false: it is not passed on. */
  readonly take: ((buf: Buffer, start: number, end: number) => boolean) | undefined
  /** Who is told of a line that is no message, in place of the run. */
  readonly wrong?: () => ((line: string) => void) | undefined
}

export class SideStream implements ChildStream {
  hasEnded = false
  isDry = false
  readonly #o: SideStreamOptions
  readonly #ended = deferred()
  readonly ended = this.#ended.promise

  constructor(
    private readonly context: RunContext,
    options: SideStreamOptions,
  ) {
    this.#o = options
  }

  canRun(): boolean {
    return !this.isDry && !this.hasEnded && this.#o.backpressure?.isOpen() !== false
  }

  step(): number {
    const { reader, port, take } = this.#o
    if (!reader.next()) {
      this.isDry = true
      if (reader.hasEnded) this.end()
      return 0
    }
    const { fault, buf, start, end } = reader
    const { current } = this.context
    const before = current.enter(Origin.unknown())
    if (fault) this.#refuse(fault.error, fault.detail, buf.toString('utf8', start, Math.min(end, start + MAX_SHOWN)))
    else if (take?.(buf, start, end) !== false && port) this.#pass(port, buf, start, end)
    current.leave(before)
    return 1
  }

  end(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.#o.reader.stop()
    this.#o.port?.outlet.close()
    this.#ended.resolve()
  }

  #pass({ outlet, stage }: { readonly outlet: Outlet; readonly stage: Stage }, buf: Buffer, start: number, end: number): void {
    const { sink } = this.context
    const verdict = stage.run(buf, start, end, sink)
    if (verdict === Verdict.PASS) outlet.send(buf, start, end)
    else if (verdict === Verdict.WROTE) outlet.send(sink.buf, sink.start, sink.end)
    else if (stage.fault)
      this.#refuse('output_type_mismatch', stage.fault.detail, buf.toString('utf8', start, Math.min(end, start + MAX_SHOWN)))
  }

  #refuse(code: Parameters<typeof fail>[0], detail: string, line: string): void {
    const { process, name, reader, wrong } = this.#o
    const told = wrong?.()
    if (told) return told(preview(line))
    const extras = { process, port: name, line: reader.line }
    this.context.report(fail(code, `'${process}' gave what it should not: ${detail}`, extras).error)
  }
}

const MAX_SHOWN = 400
