// The spans and metrics of one request, as a run of its own: a part of the trace that its client names.

import type { CallTrace } from '@plumb/tool/internal'
import type { Fault } from '@plumb/wire'
import { openEmitter, type RunEmitter } from '../../event/emitter.js'
import type { UntimedEvent } from '../../event/run-event.js'
import type { RunOptions } from '../../options/run-options.js'
import { beginOf } from '../../run/begin.js'
import type { ServedBinding } from '../../service/open-service.js'
import { traceOfCall } from '../../tools/trace.js'
import type { CostOf } from '../stats-counter.js'
import type { Collected, Collector } from './open-otlp.js'
import { parentOf } from './otlp-settings.js'

export interface RequestTraceOptions {
  readonly collector: Collector
  readonly served: ServedBinding
  readonly options: RunOptions
  /** As it was named. */
  readonly spec: string
  readonly costOf: CostOf
  /** Of the request. */
  readonly traceparent: string | undefined
}

/** What a graph tells of itself, and asks for its calls. */
export interface TracedGraph {
  emit(event: UntimedEvent): void
  readonly ofCall: () => CallTrace | undefined
  /** For the plumbs in it. */
  readonly inner?: TracedGraph
}

export class RequestTrace implements RunEmitter, TracedGraph {
  readonly hasWires = false
  readonly #collected: Collected
  readonly #emitter: RunEmitter | undefined

  constructor({ collector, served, options, spec, costOf, traceparent }: RequestTraceOptions) {
    this.#collected = collector.open(costOf, parentOf(traceparent))
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
  readonly ofCall = (): CallTrace | undefined => (this.#collected.spans ? traceOfCall(this.#collected.spans.traceId) : undefined)

  /** The same within a nested plumb, whose calls have spans by what their agents tell. */
  get inner(): TracedGraph {
    const { spans } = this.#collected
    const inner = { emit: () => {}, ofCall: () => (spans ? { traceparent: spans.traceparent } : undefined) }
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
