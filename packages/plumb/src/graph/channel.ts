// A wire from one process to another. What is sent arrives in order; messages are bytes that are not changed any more.

import type { Trampoline } from './trampoline.js'

/** Takes messages at its inputs. */
export interface Receiver {
  receive(input: number, buf: Buffer, start: number, end: number): void
  /** One of the channels into this input will bring nothing more. */
  closeInput(input: number): void
  /** All that it receives leaves here as it is. */
  readonly passesTo?: readonly Outlet[]
}

/**
 * Carries messages to one input of one receiver. The one below hands them over in this process; another, for pipelines that outgrow a machine,
 * can take its place without a morphism, an agent or a tool knowing.
 */
export interface Channel {
  send(buf: Buffer, start: number, end: number): void
  /** Once is enough; what is sent later is dropped. */
  close(): void
}

export class DirectChannel implements Channel {
  protected isClosed = false

  /** Without a relay: no call of a receiver can go deep. */
  constructor(
    readonly to: Receiver,
    private readonly input: number,
    private readonly relay: Trampoline | undefined,
  ) {}

  send(buf: Buffer, start: number, end: number): void {
    if (this.isClosed) return
    const { to, input, relay } = this
    if (!relay) return to.receive(input, buf, start, end)
    if (relay.isDeep) return relay.wait(() => to.receive(input, buf, start, end))
    relay.enter()
    to.receive(input, buf, start, end)
    relay.leave()
  }

  /** Itself, or what lies behind its receiver. `depth`: so many were passed over. */
  targets(depth = 0): readonly Channel[] {
    if (depth === MOST_PASSED) return [this]
    return this.to.passesTo?.flatMap((outlet) => outlet.targets(depth + 1)) ?? [this]
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    const { to, input, relay } = this
    if (!relay) return to.closeInput(input)
    if (relay.isDeep) return relay.wait(() => to.closeInput(input))
    relay.enter()
    to.closeInput(input)
    relay.leave()
  }
}

/** One output of a process: everything goes to each of its channels. Without a channel it is drained. */
export class Outlet {
  readonly channels: Channel[] = []
  /** In place of a channel into a process that only passes on, those that lead on from it. */
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
    return targets.length > MOST_TARGETS ? this.channels : targets
  }
}

/** What lies behind is found by a recursion, and there may be thousands in a row. */
const MOST_PASSED = 64

// Where ways part and meet again and again there are more of them than anybody can write down.
const MOST_TARGETS = 64
