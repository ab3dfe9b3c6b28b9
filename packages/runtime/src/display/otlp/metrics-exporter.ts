// What was counted, sent to a collector each minute and at the end: all of it since the beginning.

import { metricsToOtlp, type OtlpMetric, type OtlpPoint, type OtlpSettings, postOtlp, type SpanAttributes } from '@plumb/tool/otlp'
import { preview } from '@plumb/wire'

const INTERVAL_MS = 60_000
const END_TIMEOUT_MS = 5_000
/** Of one metric; what is more is not told apart. */
const MAX_POINTS = 1_000

const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const AGENT_SECONDS = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6]

interface Instrument {
  readonly unit: string
  readonly description: string
  /** Of a histogram. */
  readonly bounds?: readonly number[]
}

const TOKENS = { unit: '{token}' }

const INSTRUMENTS = {
  'gen_ai.client.inference.duration': { unit: 's', description: 'Duration of a request to a model.', bounds: SECONDS },
  'gen_ai.invoke_agent.duration': {
    unit: 's',
    description: 'Duration of what an agent or a workflow made of one message.',
    bounds: AGENT_SECONDS,
  },
  'gen_ai.execute_tool.duration': { unit: 's', description: 'Duration of a tool call.', bounds: SECONDS },
  'gen_ai.client.inference.usage.input_tokens': { ...TOKENS, description: 'Input tokens, those of a cache too.' },
  'gen_ai.client.inference.usage.output_tokens': { ...TOKENS, description: 'Output tokens.' },
  'gen_ai.client.inference.usage.cache_read.input_tokens': { ...TOKENS, description: 'Input tokens that came from a cache.' },
  'gen_ai.client.inference.usage.cache_write.input_tokens': { ...TOKENS, description: 'Input tokens that were written to a cache.' },
  'gen_ai.client.inference.usage.reasoning.output_tokens': { ...TOKENS, description: 'Output tokens that were thought.' },
  'plumb.cost': { unit: 'USD', description: 'What requests to models cost.' },
} as const satisfies Readonly<Record<string, Instrument>>

export type MetricName = keyof typeof INSTRUMENTS

interface Point {
  readonly attributes: SpanAttributes
  count: number
  sum: number
  min: number
  max: number
  readonly buckets: number[]
}

export class MetricsExporter {
  readonly #settings: OtlpSettings
  readonly #url: URL
  readonly #warn: (text: string) => void
  readonly #points = new Map<MetricName, Map<string, Point>>()
  readonly #startMs = Date.now()
  readonly #aborted = new AbortController()
  readonly #timer: NodeJS.Timeout
  #sending: Promise<void> = Promise.resolve()
  #hasWarned = false

  /** `warn` is called once at most. */
  constructor(settings: OtlpSettings, url: URL, warn: (text: string) => void) {
    this.#settings = settings
    this.#url = url
    this.#warn = warn
    this.#timer = setInterval(() => this.#send(), INTERVAL_MS).unref()
  }

  record(name: MetricName, value: number, attributes: SpanAttributes): void {
    const points = this.#points.get(name) ?? new Map<string, Point>()
    this.#points.set(name, points)
    const own = JSON.stringify(attributes)
    const key = points.has(own) || points.size < MAX_POINTS ? own : '{"otel.metric.overflow":true}'
    const { bounds = [] }: Instrument = INSTRUMENTS[name]
    const point = points.get(key) ?? {
      attributes: JSON.parse(key) as SpanAttributes,
      ...{ count: 0, sum: 0, min: value, max: value },
      buckets: new Array<number>(bounds.length + 1).fill(0),
    }
    points.set(key, point)
    point.count++
    point.sum += value
    point.min = Math.min(point.min, value)
    point.max = Math.max(point.max, value)
    const bucket = bounds.findIndex((bound) => value <= bound)
    const at = bucket < 0 ? bounds.length : bucket
    point.buckets[at] = (point.buckets[at] ?? 0) + 1
  }

  /** Sends the last of it, within some seconds. */
  async finish(): Promise<void> {
    clearInterval(this.#timer)
    const late = setTimeout(() => this.#aborted.abort(), Math.min(END_TIMEOUT_MS, this.#settings.timeoutMs))
    this.#send()
    await this.#sending
    clearTimeout(late)
  }

  #send(): void {
    this.#sending = this.#sending.then(async () => {
      const metrics = this.#metrics()
      if (metrics.length === 0 || this.#aborted.signal.aborted) return
      const body = metricsToOtlp(this.#settings.resource, metrics, this.#startMs, Date.now())
      const why = await postOtlp(this.#settings, this.#url, body, this.#aborted.signal)
      if (why === undefined || this.#hasWarned) return
      this.#hasWarned = true
      this.#warn(`the collector at ${preview(this.#url.host)}: ${why}; the run goes on, metrics may be missing`)
    })
  }

  #metrics(): readonly OtlpMetric[] {
    return [...this.#points].map(([name, points]) => {
      const { unit, description, bounds }: Instrument = INSTRUMENTS[name]
      const pointOf = ({ attributes, count, sum, min, max, buckets }: Point): OtlpPoint =>
        bounds ? { attributes, count, sum, min, max, bounds, buckets } : { attributes, sum, isWhole: unit !== 'USD' }
      return { name, unit, description, points: [...points.values()].map(pointOf) }
    })
  }
}
