// Collects the events of the process of a part by message: the events of a message are stored in the transaction that settles it.

import type { LoggedEvent } from '@plumb/runtime/event'
import { openLineLog } from '@plumb/wire'

export interface PartEvent {
  /** Identifies the process among all processes of the part. */
  readonly process: string
  /** The number of the message in the process; 0: no message. */
  readonly seq: number
  /** The input of the run that the message stems from; 0: none. */
  readonly origin: string
  /** Its input numbers are those of the run. */
  readonly event: LoggedEvent
}

/** Maximum messages remembered for events that arrive late. */
const MAX_KNOWN = 8192

export class PartEvents {
  readonly #log = openLineLog()
  readonly #process: string
  /** From the number of a message to the input of the run. */
  readonly #origins = new Map<number, string>()
  /** From agent and request number to the message of the part. */
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

  /** Takes the events of the first messages, which are done, and those of no message. */
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
