// A wire from one process to another. Messages arrive in order; their bytes do not change any more.

import { type GraphPosition, type Sink, type Stage, Verdict } from '@plumb/lang'
import type { Fault } from '@plumb/wire'
import type { InputContext } from './input-context.js'
import type { Trampoline } from './trampoline.js'

/** Takes messages at its inputs. */
export interface Receiver {
  receive(input: number, buf: Buffer, start: number, end: number): void
  /** One of the channels into this input has closed. */
  closeInput(input: number): void
  /** Everything that it receives leaves here unchanged. */
  readonly passesTo?: readonly Outlet[]
}

/**
 * Carries messages to one input of one receiver, in this process. An implementation for several machines could replace it without changes
 * to morphisms, agents or tools.
 */
export interface Channel {
  send(buf: Buffer, start: number, end: number): void
  /** Idempotent; later messages are dropped. */
  close(): void
}

export class DirectChannel implements Channel {
  protected isClosed = false

  /** Without a trampoline: no call of a receiver can go deep. */
  constructor(
    readonly to: Receiver,
    private readonly input: number,
    private readonly trampoline: Trampoline | undefined,
  ) {}

  send(buf: Buffer, start: number, end: number): void {
    if (this.isClosed) return
    const { to, input, trampoline } = this
    if (!trampoline) return to.receive(input, buf, start, end)
    if (trampoline.isDeep) return trampoline.defer(() => to.receive(input, buf, start, end))
    trampoline.enter()
    to.receive(input, buf, start, end)
    trampoline.leave()
  }

  /** Itself, or the channel after its receiver. `depth`: how many were skipped. */
  targets(depth = 0): readonly Channel[] {
    if (depth === MAX_PASSED) return [this]
    return this.to.passesTo?.flatMap((outlet) => outlet.targets(depth + 1)) ?? [this]
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    const { to, input, trampoline } = this
    if (!trampoline) return to.closeInput(input)
    if (trampoline.isDeep) return trampoline.defer(() => to.closeInput(input))
    trampoline.enter()
    to.closeInput(input)
    trampoline.leave()
  }
}

interface CheckOptions {
  readonly stage: Stage
  readonly sink: Sink
  /** Undefined: a message of another type is dropped without an error. */
  readonly onMismatch: ((fault: Fault) => void) | undefined
  /** Called for each message of another type. */
  readonly lost: (() => void) | undefined
}

/** Its receiver checks each message: the source is json, or defaults have to be added. */
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

/** Leads from a place where messages get an origin of their own. `keeps`: that place needs a copy of the message. */
export class PartingChannel implements Channel {
  constructor(
    private readonly inner: Channel,
    private readonly place: GraphPosition,
    private readonly current: InputContext,
    private readonly keeps = false,
  ) {}

  send(buf: Buffer, start: number, end: number): void {
    const { inner, place, current } = this
    const origin = current.origin.at(place)
    if (this.keeps) origin.message = { buf: Buffer.from(buf.subarray(start, end)), start: 0, end: end - start }
    const before = current.enter(origin)
    inner.send(buf, start, end)
    current.leave(before)
    origin.release()
  }

  close(): void {
    this.inner.close()
  }
}

/** One output of a process: each message goes to each of its channels. Without a channel it is drained. */
export class Outlet {
  readonly channels: Channel[] = []
  /** Replaces a channel into a process that only forwards by the channels after it. */
  #targets: readonly Channel[] | undefined

  send(buf: Buffer, start: number, end: number): void {
    this.#targets ??= this.targets()
    for (const target of this.#targets) target.send(buf, start, end)
  }

  close(): void {
    this.#targets = []
    for (const channel of this.channels) channel.close()
  }

  targets(depth = 0): readonly Channel[] {
    const targets = this.channels.flatMap((channel) => (channel instanceof DirectChannel ? channel.targets(depth) : [channel]))
    return targets.length > MAX_TARGETS ? this.channels : targets
  }
}

/** The search is recursive, and thousands may be in a row. */
const MAX_PASSED = 64

// Where paths split and join repeatedly, their number grows exponentially.
const MAX_TARGETS = 64
