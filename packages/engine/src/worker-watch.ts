// Writes the trace of a worker's own processes (--trace), and exports a span for each settlement if OpenTelemetry's variables name a
// collector.

import type { BatchSpanExporter, OtlpSettings } from '@plumb/runtime/display'
import { newSpanId, type RunListener, traceparentOf } from '@plumb/runtime/event'
import { sha256Of } from '@plumb/wire'
import type { RunRow, Settlement } from './engine.js'
import type { MergedEvents } from './merged-events.js'
import type { PartEvent } from './part-events.js'
import type { PlannedPart } from './run-plan.js'

export interface WorkerWatchOptions {
  /** Undefined: no trace is written. */
  readonly trace: { readonly listener: RunListener; readonly merged: MergedEvents } | undefined
  /** Undefined: there is no collector. */
  readonly spans: { readonly exporter: BatchSpanExporter; readonly parent: OtlpSettings['parent'] } | undefined
}

/** The span of a process that serves a part, while it goes on. */
export interface PartSpan {
  /** For what its tools ask. */
  readonly traceparent: string
  /** Sends it. */
  end(): void
}

/** Maximum messages named in a span. */
const MAX_ORDS = 100

export class WorkerWatch {
  readonly #o: WorkerWatchOptions
  readonly #beganMs = Date.now()

  constructor(options: WorkerWatchOptions) {
    this.#o = options
  }

  get isTraced(): boolean {
    return this.#o.trace !== undefined
  }

  saw({ id }: PlannedPart, events: readonly PartEvent[]): void {
    const { trace } = this.#o
    if (!trace) return
    for (const { process, event } of events)
      for (const one of trace.merged.eventsOf(id, process, event, event.at - this.#beganMs)) trace.listener.on(one)
  }

  /** Undefined: there is no collector. */
  serving(run: RunRow, part: PlannedPart): PartSpan | undefined {
    const { spans } = this.#o
    if (!spans) return undefined
    const [traceId, spanId, start] = [this.#traceOf(run), newSpanId(), Date.now()]
    const end = (): void =>
      spans.exporter.add({
        ...{ traceId, spanId, parentId: spans.parent?.spanId, name: `serve ${part.name}`, kind: 'internal', start, end: Date.now() },
        attributes: { 'plumb.run': run.name, 'plumb.part': `${part.id} ${part.name}` },
      })
    return { traceparent: traceparentOf(traceId, spanId), end }
  }

  /** All workers of a run are in one trace. */
  #traceOf({ id, name }: RunRow): string {
    return this.#o.spans?.parent?.traceId ?? sha256Of(`plumb ${id} ${name}`, 32)
  }

  settled(run: RunRow, part: PlannedPart, { tally, ords }: Settlement, began: number): void {
    const { spans } = this.#o
    if (!spans || ords.length === 0) return
    const { name } = run
    const traceId = this.#traceOf(run)
    const ord = ords.slice(0, MAX_ORDS).map((one) => one.slice(1, -1).replaceAll(',', '.'))
    spans.exporter.add({
      ...{ traceId, spanId: newSpanId(), parentId: spans.parent?.spanId, name: `settle ${part.name}`, kind: 'internal' },
      ...{ start: began, end: Date.now() },
      attributes: {
        'plumb.run': name,
        'plumb.part': `${part.id} ${part.name}`,
        'plumb.ord': ord.join(' '),
        'plumb.messages': tally.taken,
        'plumb.outputs': tally.outputs,
        'plumb.dropped': tally.dropped,
        'plumb.errors': tally.failed,
      },
    })
  }

  async end(status: 0 | 1 | 2): Promise<void> {
    const { trace, spans } = this.#o
    trace?.listener.on({ ms: Date.now() - this.#beganMs, kind: 'end', status, stoppedBy: null })
    await trace?.listener.finish?.()
    await spans?.exporter.end()
  }
}
