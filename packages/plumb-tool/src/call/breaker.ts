// A circuit breaker: after so many consecutive retryable failures of a tool, calls fail at once, and later one trial call is made.

import { type Fault, fail, isRetryable, preview } from '@plumb/wire'
import { note, plural, showMs } from './note.js'
import type { Wrap } from './tool.js'

export interface BreakerOptions {
  readonly failures: number
  readonly resetMs: number
}

/** Fails at once after so many retryable failures in a row. One breaker for all calls of the tool, from all callers. */
export const withBreaker =
  ({ failures, resetMs }: BreakerOptions): Wrap =>
  (tool) => {
    const breaker = new Breaker(failures, resetMs)
    let last: Fault | undefined
    return {
      ...tool,
      run: async (input, call) => {
        const { nowMs } = call.session
        const period = breaker.admit(nowMs())
        if (!period) {
          note(call, 'breaker', 'open: held back')
          const why = last ? `, the last with ${last.error}: ${preview(last.detail, 120)}` : ''
          const detail = `'${tool.name}' is held back after ${plural(failures, 'failure')} in a row${why}`
          return fail('breaker_open', detail, { tool: tool.name, retry_after: Math.ceil(breaker.waitMs(nowMs()) / 1000) })
        }
        note(call, 'breaker', period.kind === 'trial' ? 'half open: the trial call' : 'closed')
        const result = await tool.run(input, call)
        const isFailure = !result.ok && isRetryable(result.error)
        if (isFailure) last = result.error
        const outcome = !result.ok && call.signal.aborted ? 'cancelled' : isFailure ? 'failed' : 'answered'
        const change = breaker.learn(period, outcome, nowMs())
        if (change === 'opens') note(call, 'breaker', `opens for ${showMs(resetMs)}`)
        else if (change) note(call, 'breaker', change)
        return result
      },
    }
  }

type Period = { readonly kind: 'closed'; failures: number } | { readonly kind: 'open'; readonly until: number } | { readonly kind: 'trial' }

// The duration of a trial is unknown.
const TRIAL_WAIT_MS = 1000

class Breaker {
  #period: Period = { kind: 'closed', failures: 0 }

  constructor(
    private readonly failures: number,
    private readonly resetMs: number,
  ) {}

  /** The period in which a call may begin. Undefined: it may not. */
  admit(now: number): Period | undefined {
    if (this.#period.kind === 'closed') return this.#period
    if (this.#period.kind === 'trial' || now < this.#period.until) return undefined
    this.#period = { kind: 'trial' }
    return this.#period
  }

  waitMs(now: number): number {
    return this.#period.kind === 'open' ? this.#period.until - now : TRIAL_WAIT_MS
  }

  /** A call of an earlier period does not count, and neither does one that was cancelled. */
  learn(began: Period, outcome: 'answered' | 'failed' | 'cancelled', now: number): 'opens' | 'closes' | undefined {
    if (began !== this.#period) return undefined
    if (outcome === 'cancelled') {
      if (began.kind === 'trial') this.#period = { kind: 'open', until: now }
      return undefined
    }
    if (outcome === 'answered') {
      if (began.kind === 'closed') began.failures = 0
      else this.#period = { kind: 'closed', failures: 0 }
      return began.kind === 'closed' ? undefined : 'closes'
    }
    if (began.kind === 'closed' && ++began.failures < this.failures) return undefined
    this.#period = { kind: 'open', until: now + this.resetMs }
    return 'opens'
  }
}
