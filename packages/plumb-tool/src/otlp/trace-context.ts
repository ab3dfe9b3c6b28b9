// The place of a span in its trace, as W3C's traceparent has it.

import { randomBytes } from 'node:crypto'

export interface SpanPlace {
  readonly traceId: string
  readonly spanId: string
}

/** Sampled. */
export const traceparentOf = (traceId: string, spanId: string): string => `00-${traceId}-${spanId}-01`

export const newSpanId = (): string => randomBytes(8).toString('hex')

/** Undefined: it is none. */
export const parentOf = (text = ''): SpanPlace | undefined => {
  const [, traceId, spanId] = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}$/.exec(text) ?? []
  return traceId && spanId ? { traceId, spanId } : undefined
}
