// A wire from one process to another. What is sent arrives in order; messages are bytes that nobody changes any more.

import type { Relay } from './relay.js'

/** Takes messages at its inputs. */
export interface Receiver {
  receive(input: number, buf: Buffer, start: number, end: number): void
  /** One of the channels into this input will bring nothing more. */
  closeInput(input: number): void
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

  constructor(
    private readonly to: Receiver,
    private readonly input: number,
    private readonly relay: Relay,
  ) {}

  send(buf: Buffer, start: number, end: number): void {
    if (this.isClosed) return
    const { to, input, relay } = this
    if (relay.isDeep) return relay.wait(() => to.receive(input, buf, start, end))
    relay.enter()
    to.receive(input, buf, start, end)
    relay.leave()
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    const { to, input, relay } = this
    if (relay.isDeep) return relay.wait(() => to.closeInput(input))
    relay.enter()
    to.closeInput(input)
    relay.leave()
  }
}

/** One output of a process: everything goes to each of its channels. Without a channel it is drained. */
export class Outlet {
  readonly channels: Channel[] = []

  send(buf: Buffer, start: number, end: number): void {
    for (const channel of this.channels) channel.send(buf, start, end)
  }

  close(): void {
    for (const channel of this.channels) channel.close()
  }
}
