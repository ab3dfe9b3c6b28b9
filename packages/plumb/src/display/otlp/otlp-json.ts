// Spans as OTLP's JSON has them (opentelemetry-proto, trace.proto): numbers of 64 bits are texts, ids are hexadecimal.

import { version } from '../../../package.json'

export type AttributeValue = string | number | boolean

export type Attributes = Readonly<Record<string, AttributeValue | undefined>>

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | undefined
  readonly name: string
  readonly kind: 'internal' | 'client'
  /** Milliseconds since 1970. */
  readonly start: number
  readonly end: number
  readonly attributes: Attributes
  readonly events?: readonly { readonly name: string; readonly time: number; readonly attributes?: Attributes }[]
  /** What went wrong, if anything did. */
  readonly error?: string
}

const KIND = { internal: 1, client: 3 } as const
const STATUS_ERROR = 2

/** The body of one request. */
export const toOtlp = (resource: Attributes, spans: readonly Span[]): object => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf(resource) },
      scopeSpans: [{ scope: { name: 'plumb', version }, spans: spans.map(spanOf) }],
    },
  ],
})

const spanOf = ({ traceId, spanId, parentId, name, kind, start, end, attributes, events = [], error }: Span): object => ({
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

const attributesOf = (attributes: Attributes): object[] =>
  Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: valueOf(value) }]))

const valueOf = (value: AttributeValue): object => {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

// Microseconds are as fine as a double of this size can be.
const nanoseconds = (ms: number): string => `${Math.round(ms * 1000)}000`
