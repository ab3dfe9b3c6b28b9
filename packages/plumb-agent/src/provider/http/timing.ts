// The timeouts and limits of a provider, and the clock.

export interface Timing {
  /** Until the connection is established, including TLS. */
  readonly connectMs: number
  /** From the request to the head of the reply; a plain reply (`stream: false`) sends it only with the whole answer. */
  readonly headersMs: number
  /** Between two chunks of a reply: models that think silently take minutes, a dead connection takes for ever. */
  readonly idleMs: number
  /** For one attempt, even if data keeps coming. */
  readonly totalMs: number
  /** Quiet time before the collected requests are sent as a batch. */
  readonly quietMs: number
  /** Resolves after the time, or as soon as the signal fires. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** From 0 to 1, for the jitter. */
  readonly random: () => number
  /** Wall clock in ms, for a `retry-after` that is a date. */
  readonly wallMs: () => number
}

const MINUTE_MS = 60_000

export const DEFAULT_TIMING: Timing = {
  connectMs: 10_000,
  headersMs: 10 * MINUTE_MS,
  idleMs: 5 * MINUTE_MS,
  totalMs: 60 * MINUTE_MS,
  quietMs: 1_000,
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal.addEventListener('abort', done)
    }),
  random: Math.random,
  wallMs: Date.now,
}

const MIB = 2 ** 20

/** Maximum decoded bytes of one reply. */
export const MAX_REPLY_BYTES = 64 * MIB
/** Maximum characters of one event of a stream. */
export const MAX_EVENT_LENGTH = 16 * MIB
/** Maximum bytes that are read of an error reply. */
export const MAX_ERROR_BYTES = 64 * 2 ** 10
