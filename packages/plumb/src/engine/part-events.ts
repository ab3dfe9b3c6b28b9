// What happened in the process of a part, by the messages that it happened for: the events of those that are settled are settled with them.

import { openLineLog } from '@plumb/wire'
import type { LoggedEvent } from '../event/event-log.js'

export interface PartEvent {
  /** Of the process of the part, among all. */
  readonly process: string
  /** The message that it is about, by the number that the process knows it by; 0: none. */
  readonly seq: number
  /** The input of the run that this message stems from; 0: none. */
  readonly origin: string
  /** Numbers of inputs in it are those of the run. */
  readonly event: LoggedEvent
}

/** Messages that are remembered for what is told of them late. */
const MAX_KNOWN = 8192

export class PartEvents {
  readonly #log = openLineLog()
  readonly #process: string
  /** By the numbers of messages: the inputs of the run. */
  readonly #origins = new Map<number, string>()
  /** By process and number: the message of the part that its nth was. */
  readonly #asked = new Map<string, number>()
  #early: { readonly seq: number; readonly event: LoggedEvent }[] = []

  constructor(process: string) {
    this.#process = process
  }

  get fd(): number {
    return this.#log.fd
  }

  sent(seq: number, origin: string): void {
    remember(this.#origins, seq, origin)
  }

  /** Those of the first messages, which are done with, and of none. */
  take(upTo: number): readonly PartEvent[] {
    for (let line = this.#log.next(); line !== undefined; line = this.#log.next()) {
      const event = JSON.parse(line) as LoggedEvent
      this.#early.push({ seq: this.#seqOf(event), event })
    }
    const ready = this.#early.filter(({ seq }) => seq <= upTo)
    this.#early = this.#early.filter(({ seq }) => seq > upTo)
    return ready.map(({ seq, event }) => {
      const origin = this.#origins.get(seq) ?? '0'
      return { process: this.#process, seq, origin, event: 'seq' in event ? { ...event, seq: Number(origin) } : event }
    })
  }

  close(): void {
    this.#log.close()
  }

  #seqOf(event: LoggedEvent): number {
    if (event.kind === 'asked') remember(this.#asked, `${event.process} ${event.n}`, event.seq)
    if ('seq' in event) return event.seq
    if (event.kind === 'telemetry') return this.#asked.get(`${event.process} ${event.telemetry.seq}`) ?? 0
    return 0
  }
}

const remember = <Key, Value>(known: Map<Key, Value>, key: Key, value: Value): void => {
  known.set(key, value)
  if (known.size > MAX_KNOWN) known.delete(known.keys().next().value as Key)
}
