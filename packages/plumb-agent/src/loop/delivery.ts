// Delivers outcomes: an output for each answered input, an error object for each failed one, and one error for all that fail with one
// cause.

import { asShared, type Fault, nowMs, type Settled, SharedFaults } from '@plumb/wire'
import type { InputOutcome } from '../conversation/conversation.js'
import type { Outlets } from '../io/outlets.js'
import type { Emit } from '../io/telemetry.js'
import type { Input } from './pending-queue.js'

export interface DeliveryParts {
  readonly outlets: Pick<Outlets, 'writeOutput' | 'writeError'>
  readonly emit: Emit
  readonly report: (fault: Fault) => void
  /** Called with each error that was told to the parent. */
  readonly count: (fault: Fault) => void
}

export class Delivery {
  readonly #parts: DeliveryParts
  readonly #shared: SharedFaults

  constructor(parts: DeliveryParts) {
    this.#parts = parts
    this.#shared = new SharedFaults(parts.report, (seqs) => seqs)
  }

  deliver(input: Input, outcome: InputOutcome): void {
    const { outlets, emit, report, count } = this.#parts
    const { seq, line } = input
    const about = { seq, ...timesOf(input) }
    if (outcome.ok || !outcome.isShared) this.#shared.flush()
    if (outcome.ok) {
      emit({ kind: 'output', json: outcome.value, ...about })
      outlets.writeOutput(seq, outcome.value)
      return
    }
    const error = { ...outcome.error, line, seq, port: 'input' }
    emit({ kind: 'error', ...error, ...about })
    if (outlets.writeError) {
      outlets.writeError(seq, outcome.isShared ? asShared(error) : error)
      count(error)
    } else if (outcome.isShared) this.#shared.add(error)
    else report(error)
  }

  /** Nothing more is delivered. */
  end(): void {
    this.#shared.flush()
  }
}

const timesOf = ({ startMs = 0, endMs = startMs }: Input): { ms: number; held_ms?: number } => {
  const heldMs = endMs === 0 ? 0 : Math.round(nowMs() - endMs)
  return { ms: Math.round(endMs - startMs), ...(heldMs > 0 ? { held_ms: heldMs } : {}) }
}

/** Counts for the telemetry `settled`. */
export class SettledCounts {
  /** All inputs up to this number are delivered. */
  inputs = 0
  controls = 0
  outputs = 0
  #last: Settled | undefined
  /** Delivered before an earlier one. */
  readonly #ahead = new Set<number>()

  deliver(seq: number): void {
    if (seq !== this.inputs + 1) this.#ahead.add(seq)
    else
      do this.inputs++
      while (this.#ahead.size > 0 && this.#ahead.delete(this.inputs + 1))
  }

  /** Undefined if nothing has changed since the last call; `isBusy`: or only outputs of later inputs have. */
  news(isPaused: boolean, isBusy: boolean, replies: number): Settled | undefined {
    const { inputs, controls, outputs } = this
    const last = this.#last
    const isSame =
      last?.inputs === inputs && last.controls === controls && (last.paused ?? false) === isPaused && (last.replies ?? 0) === replies
    const isOld = isSame && (isBusy || last.outputs === outputs)
    if (isOld) return undefined
    this.#last = { kind: 'settled', inputs, controls, outputs, ...(replies > 0 ? { replies } : {}), ...(isPaused ? { paused: true } : {}) }
    return this.#last
  }
}
