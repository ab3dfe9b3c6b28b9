// Repeats the same request while that may help (plumb-agent(1), Providers: the retry table).

import { fault } from '@plumb/wire'
import type { Cancelled } from '../cancellation.js'
import type { Attempt, Failure } from './failure.js'
import type { Timing } from './timing.js'

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 8_000
const JITTER = 0.25
/** A model server takes up to a minute to restart, which 4 retries cover. */
const AWAY_MS_PER_RETRY = 15_000

export interface RetryOptions {
  readonly maxRetries: number
  readonly timing: Timing
  readonly cancelled: Cancelled
  readonly onRetry: (retry: { attempt: number; reason: string; wait_ms: number; away?: true }) => void
}

/**
 * At most `maxRetries` + 1 attempts, not counting those that find no server: these continue for a minute, or for the part of it that
 * `maxRetries` is of 4. Returns the last failure.
 */
export const retryRequest = async <T>(
  attempt: (number: number) => Promise<Attempt<T>>,
  { maxRetries, timing, cancelled, onRetry }: RetryOptions,
): Promise<Attempt<T>> => {
  let counted = 0
  let awayMs = 0
  for (let retries = 0; ; retries++) {
    const result = await attempt(retries + 1)
    if (result.ok || cancelled.isCancelled || !result.failure.isRetryable) return result
    const { fault, retryAfterMs, isAway = false } = result.failure
    const isSpent = isAway ? awayMs >= maxRetries * AWAY_MS_PER_RETRY : counted >= maxRetries
    if (isSpent) return { ok: false, failure: withRetries(result.failure, retries) }
    const wait_ms = Math.round(retryAfterMs ?? backoff(retries, timing.random()))
    if (isAway) awayMs += wait_ms
    else counted++
    onRetry({ attempt: retries + 1, reason: fault.detail, wait_ms, ...(isAway ? { away: true } : {}) })
    await timing.wait(wait_ms, cancelled.signal)
    if (cancelled.isCancelled) return result
  }
}

export const backoff = (retries: number, random: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** retries, MAX_WAIT_MS) * (1 - JITTER * random)

const withRetries = (failure: Failure, retries: number): Failure => {
  if (retries === 0) return failure
  const { error, category: _, detail, ...extras } = failure.fault
  return { ...failure, fault: fault(error, `${detail} (after ${retries} ${retries === 1 ? 'retry' : 'retries'})`, extras) }
}
