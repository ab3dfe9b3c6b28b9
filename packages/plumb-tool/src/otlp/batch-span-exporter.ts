// Sends spans to a collector, many in a request, as OpenTelemetry's batch span processor does. It never delays the run; spans that cannot
// be sent are dropped, with one warning.

import { nowMs, preview } from '@plumb/wire'
import { type OtlpSpan, toOtlp } from './otlp-json.js'
import type { OtlpSettings } from './otlp-settings.js'
import { postOtlp } from './post-otlp.js'

/** OpenTelemetry's defaults. */
const MAX_QUEUED = 2048
const MAX_BATCH = 512
const DELAY_MS = 1000
/** How long the end of the run waits for the last spans. */
const END_TIMEOUT_MS = 5000
/** Delay before the next try after a failed one. */
const RETRY_DELAY_MS = 10_000

export class BatchSpanExporter {
  readonly #settings: OtlpSettings
  readonly #url: URL
  readonly #warn: (text: string) => void
  #queue: OtlpSpan[] = []
  #dropped = 0
  #sending: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #hasWarned = false
  #retryAt = 0
  readonly #aborted = new AbortController()

  /** `warn` is called once at most. */
  constructor(settings: OtlpSettings, url: URL, warn: (text: string) => void) {
    this.#settings = settings
    this.#url = url
    this.#warn = warn
  }

  add(span: OtlpSpan): void {
    if (this.#queue.length >= MAX_QUEUED) {
      this.#dropped++
      return
    }
    this.#queue.push(span)
    if (this.#queue.length >= MAX_BATCH) void this.#send()
    else this.#timer ??= setTimeout(() => void this.#send(), DELAY_MS).unref()
  }

  /** Resolves when all spans are sent or dropped, or END_TIMEOUT_MS have passed. */
  async end(): Promise<void> {
    const late = setTimeout(() => this.#aborted.abort(), Math.min(END_TIMEOUT_MS, this.#settings.timeoutMs))
    this.#retryAt = 0
    await this.#sending
    while (this.#queue.length > 0 && !this.#aborted.signal.aborted) await this.#send()
    clearTimeout(late)
    clearTimeout(this.#timer)
    const lost = this.#dropped + this.#queue.length
    if (lost > 0) this.#warnOnce(`${lost} spans were not taken in time`)
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
    if (this.#retryAt > nowMs()) return
    const spans = this.#queue.splice(0, MAX_BATCH)
    if (spans.length === 0) return
    const { resource } = this.#settings
    const why = await postOtlp(this.#settings, this.#url, toOtlp(resource, spans), this.#aborted.signal)
    if (why !== undefined) this.#failed(why)
  }

  #failed(why: string): void {
    this.#retryAt = nowMs() + RETRY_DELAY_MS
    this.#warnOnce(why)
  }

  #warnOnce(why: string): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    this.#warn(`the collector at ${preview(this.#url.host)}: ${why}; the run goes on, spans may be missing`)
  }
}
