// Spans on their way to a collector, many to a request: they never hold the run up, and what cannot be sent is dropped and told of once.

import { nowMs, preview, scrub, systemReason } from '@plumb/wire'
import type { Span } from './otlp-json.js'
import { toOtlp } from './otlp-json.js'
import type { OtlpSettings } from './otlp-settings.js'

/** As OpenTelemetry's own batches. */
const MOST_WAITING = 2048
const MOST_SENT = 512
const DELAY_MS = 1000
/** At the end of the run nobody waits longer. */
const END_MS = 5000
/** A collector that was away is tried again no sooner. */
const REST_MS = 10_000

export class OtlpBatch {
  readonly #settings: OtlpSettings
  readonly #warn: (text: string) => void
  #waiting: Span[] = []
  #dropped = 0
  #sending: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #hasWarned = false
  #restUntil = 0
  readonly #over = new AbortController()

  /** `warn` is called once at most. */
  constructor(settings: OtlpSettings, warn: (text: string) => void) {
    this.#settings = settings
    this.#warn = warn
  }

  add(span: Span): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#dropped++
      return
    }
    this.#waiting.push(span)
    if (this.#waiting.length >= MOST_SENT) void this.#send()
    else this.#timer ??= setTimeout(() => void this.#send(), DELAY_MS).unref()
  }

  /** Resolves when everything is sent, or cannot be, or the time for it is up. */
  async end(): Promise<void> {
    const late = setTimeout(() => this.#over.abort(), Math.min(END_MS, this.#settings.timeoutMs))
    this.#restUntil = 0
    await this.#sending
    while (this.#waiting.length > 0 && !this.#over.signal.aborted) await this.#send()
    clearTimeout(late)
    clearTimeout(this.#timer)
    const lost = this.#dropped + this.#waiting.length
    if (lost > 0) this.#complain(`${lost} spans were not taken in time`)
  }

  #send(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sending ??= this.#post().finally(() => {
      this.#sending = undefined
    })
    return this.#sending
  }

  async #post(): Promise<void> {
    if (this.#restUntil > nowMs()) return
    const spans = this.#waiting.splice(0, MOST_SENT)
    if (spans.length === 0) return
    const { url, headers, timeoutMs, resource } = this.#settings
    const deadline = AbortSignal.timeout(timeoutMs)
    try {
      const { request } = await import('undici')
      const reply = await request(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: scrub(JSON.stringify(toOtlp(resource, spans))),
        signal: AbortSignal.any([deadline, this.#over.signal]),
        // Nothing of the run waits for this connection.
        reset: true,
      })
      await reply.body.dump()
      if (reply.statusCode >= 300) this.#refused(`answered with status ${reply.statusCode}`)
    } catch (error) {
      this.#refused(deadline.aborted ? `did not answer within ${timeoutMs / 1000} s` : systemReason(error as NodeJS.ErrnoException))
    }
  }

  #refused(why: string): void {
    this.#restUntil = nowMs() + REST_MS
    this.#complain(why)
  }

  #complain(why: string): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    this.#warn(`the collector of spans at ${preview(this.#settings.url.host)}: ${why}; the run goes on, spans may be missing`)
  }
}
