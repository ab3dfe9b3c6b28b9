// How inputs leave: an output for each that is answered, an error object for each that fails, and one for all that fail with one cause.

import { type Fault, fault, nowMs } from '@plumb/wire'
import type { Outlets } from '../io/outlets.js'
import type { Tell } from '../io/telemetry.js'
import type { Input, Outcome } from './pending-queue.js'

export interface DeliveryParts {
  readonly outlets: Pick<Outlets, 'writeOutput' | 'flushTelemetry'>
  readonly tell: Tell
  readonly report: (fault: Fault) => void
  /** Outputs come in no order, so that only telemetry tells which input each answers. */
  readonly isUnordered: boolean
}

/** So many inputs one error object names at most. */
const MAX_SEQS = 10_000
/** Inputs that fail with one cause so soon after one another are told of together. */
const QUIET_MS = 100

export class Delivery {
  readonly #parts: DeliveryParts
  /** The cause that the latest inputs failed with, and which they are; not told yet. */
  #cause: Fault | undefined
  #failed: Pick<Input, 'seq' | 'line'>[] = []
  #quiet: NodeJS.Timeout | undefined

  constructor(parts: DeliveryParts) {
    this.#parts = parts
  }

  deliver(input: Input, outcome: Outcome): void {
    if (outcome.ok || !outcome.isShared || outcome.error !== this.#cause || this.#failed.length === MAX_SEQS) this.tellCause()
    const { outlets, tell, report, isUnordered } = this.#parts
    const { seq, line } = input
    const about = { seq, ...timesOf(input) }
    if (outcome.ok) {
      tell({ kind: 'output', json: outcome.value, ...about })
      if (isUnordered) outlets.flushTelemetry()
      outlets.writeOutput(outcome.value)
      return
    }
    const error = { ...outcome.error, line, seq, port: 'input' }
    tell({ kind: 'error', ...error, ...about })
    if (!outcome.isShared) return report(error)
    this.#cause = outcome.error
    this.#failed.push({ seq, line })
  }

  get isCausePending(): boolean {
    return this.#cause !== undefined
  }

  /** Tells of the inputs that failed with one cause when no more of them have come for a while. */
  tellCauseSoon(done: () => void): void {
    clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => {
      this.tellCause()
      done()
    }, QUIET_MS)
  }

  tellCause(): void {
    clearTimeout(this.#quiet)
    const cause = this.#cause
    const failed = this.#failed.sort((a, b) => a.seq - b.seq)
    const [first] = failed
    if (!cause || !first) return
    this.#cause = undefined
    this.#failed = []
    const seqs = failed.map(({ seq }) => seq)
    const detail = `${cause.detail}; ${seqs.length} inputs fail with it`
    const { report } = this.#parts
    if (seqs.length === 1) report({ ...cause, ...first, port: 'input' })
    else report(fault(cause.error, detail, { ...cause, seq: first.seq, seqs, port: 'input' }))
  }
}

const timesOf = ({ begunMs = 0, doneMs = begunMs }: Input): { ms: number; held_ms?: number } => {
  const heldMs = doneMs === 0 ? 0 : Math.round(nowMs() - doneMs)
  return { ms: Math.round(doneMs - begunMs), ...(heldMs > 0 ? { held_ms: heldMs } : {}) }
}
