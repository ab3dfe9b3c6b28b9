// Spans in OTLP's JSON encoding (opentelemetry-proto, trace.proto): 64-bit numbers are strings, ids are hexadecimal.

import { version } from '../../../package.json'

export type AttributeValue = string | number | boolean

export type SpanAttributes = Readonly<Record<string, AttributeValue | undefined>>

export interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | undefined
  readonly name: string
  readonly kind: 'internal' | 'client'
  /** Milliseconds since 1970. */
  readonly start: number
  readonly end: number
  readonly attributes: SpanAttributes
  readonly events?: readonly { readonly name: string; readonly time: number; readonly attributes?: SpanAttributes }[]
  /** Why it failed, if it did. */
  readonly error?: string
}

const KIND = { internal: 1, client: 3 } as const
const STATUS_ERROR = 2

/** The body of one request. */
export const toOtlp = (resource: SpanAttributes, spans: readonly OtlpSpan[]): object => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf(resource) },
      scopeSpans: [{ scope: { name: 'plumb', version }, spans: spans.map(spanOf) }],
    },
  ],
})

const spanOf = ({ traceId, spanId, parentId, name, kind, start, end, attributes, events = [], error }: OtlpSpan): object => ({
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
  status: error === undefined ? {} : { code: STATUS_ERROR, message: error },
})

const attributesOf = (attributes: SpanAttributes): object[] =>
  Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: valueOf(value) }]))

const valueOf = (value: AttributeValue): object => {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

// A double of this size is exact to microseconds.
const nanoseconds = (ms: number): string => `${Math.round(ms * 1000)}000`
