// What the processes of one request tell while they work, each with the number of the input of the request that it is about.

import type { RunEmitter } from '../event/emitter.js'
import { InputNumbers } from '../event/input-numbers.js'
import type { AgentTelemetry, UntimedEvent } from '../event/run-event.js'

/** `agent`: the name of the process; `seq`: the input of the request, 0: unknown. */
export type TelemetryListener = (telemetry: AgentTelemetry) => void

export class RequestEvents implements RunEmitter {
  readonly hasWires = false
  readonly #inputs = new Map<string, InputNumbers>()

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
    const known = this.#inputs.get(process) ?? new InputNumbers()
    this.#inputs.set(process, known)
    known.note(n, seq)
  }

  #tell(process: string, telemetry: AgentTelemetry): void {
    const { seq, ...told } = telemetry
    const of = this.#inputs.get(process)?.of(seq)
    this.listener((of === undefined ? told : { ...told, seq: of }) as AgentTelemetry)
  }
}
