// What the processes of one request tell while they work, each with the number of the input of the request that it is about.

import type { RunEmitter } from '../event/emitter.js'
import type { AgentTelemetry, UntimedEvent } from '../event/run-event.js'

/** `agent`: the name of the process; `seq`: the input of the request, 0: unknown. */
export type TelemetryListener = (telemetry: AgentTelemetry) => void

/** Messages of one process whose inputs are known; telemetry of older ones has no number. */
const KEPT = 4096

export class RequestEvents implements RunEmitter {
  readonly hasWires = false
  /** By process: from the number of a message to that of the input that it comes from. */
  readonly #inputs = new Map<string, Map<number, number>>()

  constructor(private readonly listener: TelemetryListener) {}

  emit(event: UntimedEvent): void {
    if (event.kind === 'asked') this.#note(event.process, event.n, event.seq)
    else if (event.kind === 'telemetry') this.#tell(event.process, event.telemetry)
  }

  async finish(): Promise<void> {}

  /** For the processes of a nested plumb: its inputs are messages of this graph. */
  of(place: string): TelemetryListener {
    return (telemetry) => this.#tell(place, telemetry)
  }

  #note(process: string, n: number, seq: number): void {
    const known = this.#inputs.get(process) ?? new Map<number, number>()
    this.#inputs.set(process, known)
    known.set(n, seq)
    known.delete(n - KEPT)
  }

  #tell(process: string, telemetry: AgentTelemetry): void {
    const { seq } = telemetry
    const of = typeof seq === 'number' ? this.#inputs.get(process)?.get(seq) : undefined
    const { seq: _, ...told } = telemetry
    this.listener((of === undefined ? told : { ...told, seq: of }) as AgentTelemetry)
  }
}
