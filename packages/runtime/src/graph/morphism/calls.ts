// map(f) for a tool f: calls it for each message, several at once; answers leave in the order of the messages. A failed call is an error of
// its message. Messages wait here while the maximum is in flight, and their source then waits too.

import { compileCheck, type GraphNode, type MessageScanners, Sink, type Stage, toolOf, Verdict } from '@plumb/lang'
import { type Fault, fault, type Result } from '@plumb/wire'
import { Backpressure, type Buffering } from '../backpressure.js'
import type { Worker } from '../cycle.js'
import type { Holding } from '../holding.js'
import type { Origin } from '../origin.js'
import type { RunContext } from '../run-context.js'
import type { ScheduledSource } from '../schedule.js'
import { Morphism } from './morphism.js'

/** Calls one tool. */
export interface MappedTool {
  /** JSON in and out, for the message with that number; never rejects. */
  call(input: string, seq: number): Promise<Called>
  /** Skips the call of a message whose result is kept. */
  passed?(input: string, seq: number): void
  /** Stops running calls, and fails later ones. Resolves when nothing runs any more. */
  close(): Promise<void>
}

/** `call`: its number in the record, if that has its inner calls; `skipped`: elements that `each(…, on_error: "skip")` left out. */
export type Called = Result<string> & { readonly call?: number; readonly skipped?: readonly Fault[] }

export interface CallsOptions {
  readonly name: string
  readonly parallel: number
  readonly tool: MappedTool
  /** The tool's results are checked. */
  readonly check: Stage
  readonly report: (fault: Fault) => void
  /** Reports an element that was left out of a list: its message has not failed. */
  readonly skipped: (fault: Fault) => void
  /** Called with the origin of a failed message. */
  readonly lost: (origin: Origin) => void
  /** The result of the same call in the resumed run: it is not made again. */
  readonly kept: (seq: number, input: string) => Result<string> | undefined
  /** Called with the result of a call that was made. */
  readonly answered: (seq: number, input: string, result: Called) => void
}

interface CallParts extends Pick<CallsOptions, 'tool' | 'skipped' | 'lost' | 'kept' | 'answered'> {
  readonly scanners: MessageScanners
}

/** The work of a `call` node. */
export const openCalls = ({ work }: GraphNode, feeds: readonly number[], context: RunContext, { scanners, ...parts }: CallParts): Calls => {
  if (work.kind !== 'call') throw new TypeError(`no call: ${work.kind}`)
  const { bound, parallel } = work
  const { name, output } = toolOf(bound)
  const check = compileCheck(output, scanners.of(output))
  const report = (fault: Fault) => context.report({ ...fault, process: name })
  const skipped = (fault: Fault) => parts.skipped({ ...fault, process: name })
  return new Calls(feeds, context, { ...parts, name, parallel, check, report, skipped })
}

interface InHand {
  readonly origin: Origin
  readonly input: string
  result: Called | undefined
}

/** Messages beyond the running calls: finished ones wait for earlier answers, others for their call. */
const WINDOW = 64

export class Calls extends Morphism implements ScheduledSource, Buffering, Worker {
  readonly held = 0
  readonly gathered = 0
  /** The receivers of the answers. */
  readonly backpressure = new Backpressure()
  readonly #o: CallsOptions
  /** In the order of the messages; before `#begun` their calls have been started. */
  readonly #inHand: InHand[] = []
  #begun = 0
  #running = 0
  readonly #sink = new Sink()
  #isEnding = false
  #isStopped = false

  constructor(
    feeds: readonly number[],
    private readonly context: Pick<RunContext, 'current' | 'schedule'>,
    options: CallsOptions,
  ) {
    super(feeds, 1)
    this.#o = options
  }

  get isFull(): boolean {
    return this.#inHand.length >= this.#o.parallel + WINDOW
  }

  get inFlight(): number {
    return this.#inHand.length
  }

  override holding(name: string): Holding {
    return { of: 'call', name, in_hand: this.#inHand.length, running: this.#running, is_full: this.isFull }
  }

  receive(_input: number, buf: Buffer, start: number, end: number): void {
    const { origin } = this.context.current
    origin.retain()
    this.#inHand.push({ origin, input: buf.toString('utf8', start, end), result: undefined })
    this.#begin()
  }

  canRun(): boolean {
    return this.#inHand[0]?.result !== undefined && this.backpressure.isOpen()
  }

  step(most: number): number {
    let left = 0
    for (; left < most && this.canRun(); left++) {
      const done = this.#inHand.shift() as InHand
      this.#begun--
      this.#leave(done, done.result as Called)
    }
    this.#closeWhenDone()
    return left
  }

  /** Stops running calls, and starts no more. Resolves when nothing runs. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#o.tool.close()
  }

  /** Messages without an answer at the deadline. */
  reportUnfinished(): void {
    for (const { origin } of this.#inHand.splice(0))
      this.#fail(origin, fault('cancelled', `'${this.#o.name}' had not answered when the run ended`))
    this.#begun = 0
  }

  #begin(): void {
    const { parallel, tool, kept, answered } = this.#o
    const wake = () => this.context.schedule.wake()
    while (this.#running < parallel && this.#begun < this.#inHand.length && !this.#isStopped) {
      const message = this.#inHand[this.#begun++] as InHand
      const { seq } = message.origin
      message.result = kept(seq, message.input)
      if (message.result) {
        tool.passed?.(message.input, seq)
        queueMicrotask(wake)
        continue
      }
      this.#running++
      void tool.call(message.input, seq).then((result) => {
        this.#running--
        message.result = result
        answered(seq, message.input, result)
        this.#begin()
        wake()
      })
    }
  }

  #leave({ origin }: InHand, result: Called): void {
    for (const fault of result.skipped ?? []) this.#report(origin, fault, this.#o.skipped)
    if (!result.ok) return this.#fail(origin, result.error)
    const { check } = this.#o
    const { current } = this.context
    const sink = this.#sink
    // A message is one line; its strings contain no line break. A scanner reads one byte past it.
    const answer = Buffer.from(`${result.value.replace(/[\n\r]\s*/g, '')}\n`)
    const end = answer.length - 1
    const verdict = check.run(answer, 0, end, sink)
    if (verdict < 0) return this.#fail(origin, check.fault ?? fault('internal', `'${this.#o.name}' gave no message`))
    const before = current.enter(origin)
    if (verdict === Verdict.WROTE) this.outlets[0]?.send(sink.buf, sink.start, sink.end)
    else this.outlets[0]?.send(answer, 0, end)
    current.leave(before)
    origin.release()
  }

  #fail(origin: Origin, error: Fault): void {
    const { report, lost } = this.#o
    this.#report(origin, error, report)
    lost(origin)
    origin.release()
  }

  #report(origin: Origin, error: Fault, report: (fault: Fault) => void): void {
    const { current } = this.context
    const before = current.enter(origin)
    report(error)
    current.leave(before)
  }

  protected override finish(): void {
    this.#isEnding = true
    this.#closeWhenDone()
  }

  #closeWhenDone(): void {
    if (!this.#isEnding || this.#inHand.length > 0) return
    this.#isEnding = false
    super.finish()
  }
}
