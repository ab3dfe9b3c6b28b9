// The place of each tool call in the trace of its run: PLUMB_TRACEPARENT names the run, for what it starts too, and the call has a span of its
// own, which whoever it asks takes as its parent. Of a nested plumb the parent makes the spans, and a call there is below that of the run.

import { randomBytes } from 'node:crypto'
import type { CallTrace, Session } from '@plumb/tool/internal'
import type { UntimedEvent } from './run-event.js'

/** W3C's traceparent of a span; sampled. */
export const traceparentOf = (traceId: string, spanId: string): string => `00-${traceId}-${spanId}-01`

export const newSpanId = (): string => randomBytes(8).toString('hex')

let isOwn = false

/** This process makes the spans of a run, of which this is the first. */
export const beginTrace = (traceparent: string): void => {
  isOwn = true
  process.env.PLUMB_TRACEPARENT = traceparent
}

/** Undefined: the run is not traced. */
export const traceOfRun = (around = process.env.PLUMB_TRACEPARENT): Session['trace'] => {
  const [, traceId] = /^00-([\da-f]{32})-[\da-f]{16}-01$/.exec(around ?? '') ?? []
  if (around === undefined || traceId === undefined) return undefined
  return isOwn ? () => traceOfCall(traceId) : () => ({ traceparent: around })
}

/** A new span. */
export const traceOfCall = (traceId: string): CallTrace => {
  const span = newSpanId()
  return { traceparent: traceparentOf(traceId, span), span }
}

/** What a graph tells of itself, and asks for its calls. */
export interface TracedGraph {
  emit(event: UntimedEvent): void
  readonly ofCall: () => CallTrace | undefined
  /** For the plumbs in it. */
  readonly inner?: TracedGraph
}
