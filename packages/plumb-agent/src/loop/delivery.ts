// Delivers outcomes: an output for each answered input, an error object for each failed one, and one error for all that fail with one
// cause.

import { asShared, type Fault, fault, nowMs, type Settled } from '@plumb/wire'
import type { Outlets } from '../io/outlets.js'
import type { Emit } from '../io/telemetry.js'
import type { Input, InputOutcome } from './pending-queue.js'

export interface DeliveryParts {
  readonly outlets: Pick<Outlets, 'writeOutput' | 'writeError'>
  readonly emit: Emit
  readonly report: (fault: Fault) => void
  /** Called with each error that was told to the parent. */
  readonly count: (fault: Fault) => void
}

/** Maximum inputs that one error object names. */
const MAX_SEQS = 10_000
/** Inputs that fail with one cause within this time are reported together. */
const QUIET_MS = 100

export class Delivery {
  readonly #parts: DeliveryParts
  /** The shared cause of the latest failures, and their inputs; not reported yet. */
  #cause: Fault | undefined
  #failed: Pick<Input, 'seq' | 'line'>[] = []
  #quiet: NodeJS.Timeout | undefined

  constructor(parts: DeliveryParts) {
    this.#parts = parts
  }

  deliver(input: Input, outcome: InputOutcome): void {
    if (outcome.ok || !outcome.isShared || outcome.error !== this.#cause || this.#failed.length === MAX_SEQS) this.reportCause()
    const { outlets, emit, report, count } = this.#parts
    const { seq, line } = input
    const about = { seq, ...timesOf(input) }
    if (outcome.ok) {
      emit({ kind: 'output', json: outcome.value, ...about })
      outlets.writeOutput(seq, outcome.value)
      return
    }
    const error = { ...outcome.error, line, seq, port: 'input' }
    emit({ kind: 'error', ...error, ...about })
    if (outlets.writeError) {
      outlets.writeError(seq, outcome.isShared ? asShared(error) : error)
      return count(error)
    }
    if (!outcome.isShared) return report(error)
    this.#cause = outcome.error
    this.#failed.push({ seq, line })
  }

  get isCausePending(): boolean {
    return this.#cause !== undefined
  }

  /** Reports once no more inputs have failed with the cause for `QUIET_MS`. */
  reportCauseSoon(done: () => void): void {
    clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => {
      this.reportCause()
      done()
    }, QUIET_MS)
  }

  reportCause(): void {
    const cause = this.#cause
    if (!cause) return
    clearTimeout(this.#quiet)
    const failed = this.#failed.sort((a, b) => a.seq - b.seq)
    const [first] = failed
    if (!first) return
    this.#cause = undefined
    this.#failed = []
    const seqs = failed.map(({ seq }) => seq)
    const detail = `${cause.detail}; ${seqs.length} inputs fail with it`
    const { report } = this.#parts
    if (seqs.length === 1) report({ ...cause, ...first, port: 'input' })
    else report(fault(cause.error, detail, { ...cause, seq: first.seq, seqs, port: 'input' }))
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
