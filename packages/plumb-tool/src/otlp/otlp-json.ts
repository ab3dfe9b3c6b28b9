// Spans and metrics in OTLP's JSON encoding (opentelemetry-proto): 64-bit numbers are strings, ids are hexadecimal.

import { version } from '../../package.json'
import type { SpanPlace } from './trace-context.js'

/** The conventions that names of spans, metrics and attributes are of. */
const SCHEMA_URL = 'https://opentelemetry.io/schemas/gen-ai/0.1.0'

export type AttributeValue = string | number | boolean | readonly string[]

export type SpanAttributes = Readonly<Record<string, AttributeValue | undefined>>

export interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | undefined
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client'
  /** Milliseconds since 1970. */
  readonly start: number
  readonly end: number
  readonly attributes: SpanAttributes
  readonly events?: readonly { readonly name: string; readonly time: number; readonly attributes?: SpanAttributes }[]
  /** Spans that it belongs to beside its parent. */
  readonly links?: readonly SpanPlace[]
  /** Why it failed, if it did. */
  readonly error?: string
}

const KIND = { internal: 1, server: 2, client: 3 } as const
const STATUS_ERROR = 2

/** The body of one request. */
export const toOtlp = (resource: SpanAttributes, spans: readonly OtlpSpan[]): object => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf(resource) },
      schemaUrl: SCHEMA_URL,
      scopeSpans: [{ scope: SCOPE, schemaUrl: SCHEMA_URL, spans: spans.map(spanOf) }],
    },
  ],
})

const SCOPE = { name: 'plumb', version }

/** All that was counted since the beginning of the run. */
export interface OtlpMetric {
  readonly name: string
  readonly unit: string
  readonly description: string
  readonly points: readonly OtlpPoint[]
}

export type OtlpPoint = { readonly attributes: SpanAttributes } & (
  | { readonly sum: number; readonly isWhole: boolean }
  | {
      readonly count: number
      readonly sum: number
      readonly min: number
      readonly max: number
      readonly bounds: readonly number[]
      readonly buckets: readonly number[]
    }
)

const CUMULATIVE = 2

/** `start` and `end` in milliseconds since 1970. */
export const metricsToOtlp = (resource: SpanAttributes, metrics: readonly OtlpMetric[], start: number, end: number): object => ({
  resourceMetrics: [
    {
      resource: { attributes: attributesOf(resource) },
      schemaUrl: SCHEMA_URL,
      scopeMetrics: [{ scope: SCOPE, schemaUrl: SCHEMA_URL, metrics: metrics.map((metric) => metricOf(metric, start, end)) }],
    },
  ],
})

const metricOf = ({ name, unit, description, points }: OtlpMetric, start: number, end: number): object => {
  const at = { startTimeUnixNano: nanoseconds(start), timeUnixNano: nanoseconds(end) }
  const dataPoints = points.map(({ attributes, ...point }) => ({ attributes: attributesOf(attributes), ...at, ...numbersOf(point) }))
  const isHistogram = points.some((point) => 'buckets' in point)
  const kept = { aggregationTemporality: CUMULATIVE, dataPoints }
  return { name, unit, description, ...(isHistogram ? { histogram: kept } : { sum: { ...kept, isMonotonic: true } }) }
}

const numbersOf = (point: Omit<OtlpPoint, 'attributes'>): object => {
  if ('buckets' in point) {
    const { count, sum, min, max, bounds, buckets } = point as Extract<OtlpPoint, { readonly buckets: unknown }>
    return { count: String(count), sum, min, max, explicitBounds: bounds, bucketCounts: buckets.map(String) }
  }
  const { sum, isWhole } = point as Extract<OtlpPoint, { readonly isWhole: boolean }>
  return isWhole ? { asInt: String(sum) } : { asDouble: sum }
}

const spanOf = ({ traceId, spanId, parentId, name, kind, start, end, attributes, events = [], links = [], error }: OtlpSpan): object => ({
  traceId,
  spanId,
  ...(parentId === undefined ? {} : { parentSpanId: parentId }),
  name,
  kind: KIND[kind],
  startTimeUnixNano: nanoseconds(start),
  endTimeUnixNano: nanoseconds(Math.max(start, end)),
  attributes: attributesOf(attributes),
  events: events.map((event) => ({
    timeUnixNano: nanoseconds(event.time),
    name: event.name,
    attributes: attributesOf(event.attributes ?? {}),
  })),
  ...(links.length === 0 ? {} : { links: links.map(({ traceId, spanId }) => ({ traceId, spanId })) }),
  status: error === undefined ? {} : { code: STATUS_ERROR, message: error },
})

const attributesOf = (attributes: SpanAttributes): object[] =>
  Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: valueOf(value) }]))

const valueOf = (value: AttributeValue): object => {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value !== 'number') return { arrayValue: { values: value.map((one) => ({ stringValue: one })) } }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

// A double of this size is exact to microseconds.
const nanoseconds = (ms: number): string => `${Math.round(ms * 1000)}000`
