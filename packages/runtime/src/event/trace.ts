// The place of each tool call in the trace of its run: PLUMB_TRACEPARENT names the run, for what it starts too, and the call has a span of its
// own, which whoever it asks takes as its parent. A nested plumb is told so by PLUMB_SPANS, and tells which span a call has to its parent,
// which sends it. Without, as in the process of a part, whoever started it sends none of calls, and they are below the span that is named.

import type { CallTrace, Session } from '@plumb/tool/internal'
import { newSpanId, traceparentOf } from '@plumb/tool/otlp/trace-context'
import type { UntimedEvent } from './run-event.js'

export { namesCollector } from '@plumb/tool/otlp/environment'
export { newSpanId, traceparentOf }

let isOwn = false

/** This process makes the spans of a run, of which this is the first. */
export const beginTrace = (traceparent: string): void => {
  isOwn = true
  process.env.PLUMB_TRACEPARENT = traceparent
  process.env.PLUMB_SPANS = '1'
}

/** This process makes none, and what it starts is in the trace of its caller. */
export const passTrace = (traceparent: string): void => {
  process.env.PLUMB_TRACEPARENT = traceparent
}

/** The parent of this process sends the spans of its calls. */
export const tellsSpans = (): boolean => !isOwn && process.env.PLUMB_SPANS === '1'

/** Undefined: the run is not traced. */
export const traceOfRun = (around = process.env.PLUMB_TRACEPARENT): Session['trace'] => {
  const [, traceId] = /^00-([\da-f]{32})-[\da-f]{16}-0[01]$/.exec(around ?? '') ?? []
  if (around === undefined || traceId === undefined) return undefined
  return isOwn || tellsSpans() ? () => traceOfCall(traceId) : () => ({ traceparent: around })
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
