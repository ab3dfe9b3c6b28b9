// Sends the same request again while that may help (plumb-agent(1), Providers: the retry table).

import { fault } from '@plumb/wire'
import type { Attempt, Failure } from './failure.js'
import type { Timing } from './timing.js'

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 8_000
const JITTER = 0.25

export interface RetryOptions {
  readonly maxRetries: number
  readonly timing: Timing
  readonly signal: AbortSignal
  readonly onRetry: (retry: { attempt: number; reason: string; wait_ms: number }) => void
}

/** An attempt is made `maxRetries` + 1 times at most; the last failure is what remains. */
export const retry = async <T>(
  attempt: (number: number) => Promise<Attempt<T>>,
  { maxRetries, timing, signal, onRetry }: RetryOptions,
): Promise<Attempt<T>> => {
  for (let retries = 0; ; retries++) {
    const result = await attempt(retries + 1)
    if (result.ok || signal.aborted || !result.failure.isRetryable) return result
    if (retries >= maxRetries) return { ok: false, failure: withRetries(result.failure, retries) }
    const wait_ms = Math.round(result.failure.retryAfterMs ?? backoff(retries, timing.random()))
    onRetry({ attempt: retries + 1, reason: result.failure.fault.detail, wait_ms })
    await timing.wait(wait_ms, signal)
    if (signal.aborted) return result
  }
}

const backoff = (retries: number, random: number): number => Math.min(FIRST_WAIT_MS * 2 ** retries, MAX_WAIT_MS) * (1 - JITTER * random)

const withRetries = (failure: Failure, retries: number): Failure => {
  if (retries === 0) return failure
  const { error, category: _, detail, ...extras } = failure.fault
  return { ...failure, fault: fault(error, `${detail} (after ${retries} ${retries === 1 ? 'retry' : 'retries'})`, extras) }
}
