// The spans and metrics of one request, as a run of its own: a part of the trace that its client names.

import type { CallTrace } from '@plumb/tool/internal'
import type { Fault } from '@plumb/wire'
import type { Collected, Collector } from '../display/otlp/open-otlp.js'
import type { CostOf } from '../display/stats-counter.js'
import { openEmitter, type RunEmitter } from '../event/emitter.js'
import type { UntimedEvent } from '../event/run-event.js'
import { type TracedGraph, traceOfCall } from '../event/trace.js'
import type { RunOptions } from '../options/run-options.js'
import type { ServedBinding } from './open-service.js'

type BeginOf = typeof import('../run/begin.js').beginOf

export interface RequestTraceOptions {
  readonly collector: Collector
  /** Of the graph of the request. */
  readonly beginOf: BeginOf
  readonly served: ServedBinding
  readonly options: RunOptions
  /** As it was named. */
  readonly spec: string
  readonly costOf: CostOf
  /** Of the request. */
  readonly traceparent: string | undefined
}

export class RequestTrace implements RunEmitter, TracedGraph {
  readonly hasWires = false
  readonly #collected: Collected
  readonly #emitter: RunEmitter | undefined

  constructor({ collector, beginOf, served, options, spec, costOf, traceparent }: RequestTraceOptions) {
    this.#collected = collector.open(costOf, traceparent ?? null)
    const emitter = openEmitter(this.#collected.listeners)
    this.#emitter = emitter && served.secrets ? served.secrets.emitter(emitter) : emitter
    const { name } = served.bound
    this.emit({
      ...beginOf(served.graph.graph, spec, { ...options, run: { ...options.run, binding: name } }),
      dot: () => '',
    } as UntimedEvent)
  }

  emit(event: UntimedEvent): void {
    this.#emitter?.emit(event)
  }

  async finish(): Promise<void> {}

  /** The place of a call. */
  readonly ofCall = (): CallTrace | undefined => {
    const { spans, around } = this.#collected
    if (spans) return traceOfCall(spans.traceId)
    return around === undefined ? undefined : { traceparent: around }
  }

  /** The same within a nested plumb, whose calls have spans by what their agents tell. */
  get inner(): TracedGraph {
    const { spans, around } = this.#collected
    const traceparent = spans?.traceparent ?? around
    const inner = { emit: () => {}, ofCall: () => (traceparent === undefined ? undefined : { traceparent }) }
    return { ...inner, inner }
  }

  failed(fault: Fault): void {
    this.emit({ kind: 'fault', fault })
  }

  /** `isWhole`: nothing failed. */
  end(inputs: number, isWhole: boolean): void {
    for (let seq = 1; seq <= inputs; seq++) this.emit({ kind: 'input', seq, bytes: 0 })
    this.emit({ kind: 'end', status: isWhole ? 0 : 1, stoppedBy: null })
  }
}

/** Begins the trace of a request. */
export type OpenRequestTrace = (request: Omit<RequestTraceOptions, 'collector' | 'beginOf'>) => RequestTrace

/** What draws graphs is loaded here, and for a service without a collector not at all. */
export const requestTraces = async (collector: Collector): Promise<OpenRequestTrace> => {
  const { beginOf } = await import('../run/begin.js')
  return (request) => new RequestTrace({ ...request, collector, beginOf })
}
