// The place of a span in its trace, as W3C's traceparent has it.

import { randomBytes } from 'node:crypto'

export interface SpanPlace {
  readonly traceId: string
  readonly spanId: string
  /** Undefined: it is. False: whoever began the trace leaves it out, and so does who goes on with it. */
  readonly isSampled?: false
}

export const traceparentOf = (traceId: string, spanId: string, isSampled = true): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`

export const newSpanId = (): string => randomBytes(8).toString('hex')

/** Undefined: it is none. */
export const parentOf = (text = ''): SpanPlace | undefined => {
  const [, traceId, spanId, flags = ''] = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/.exec(text) ?? []
  if (!traceId || !spanId) return undefined
  return (Number.parseInt(flags, 16) & 1) === 1 ? { traceId, spanId } : { traceId, spanId, isSampled: false }
}
