// Where things stand in a trace: the run is one process with a line for each stage inside it, each child is a process of its own.

import type { WatchEvent } from '../../event/run-event.js'
import type { TraceEvent } from './trace-event.js'

export interface Place {
  readonly pid: number
  readonly tid: number
}

export const RUN_PID = 1
/** Of a child: messages it works on. Requests to models and calls of tools have lines of their own beside it. */
const WORK_TID = 1

/** Gives a place to each process, and the events that name them. */
export class TraceMap {
  readonly #places = new Map<string, Place>()
  #lastPid = RUN_PID

  begin({ spec, binding, nodes }: WatchEvent & { kind: 'begin' }): TraceEvent[] {
    const inside = new Set(nodes.flatMap(({ name, kind }) => (kind === 'agent' || kind === 'plumb' ? [] : [name])))
    for (const name of inside) this.#places.set(name, { pid: RUN_PID, tid: this.#places.size + 1 })
    return [
      meta('process_name', { pid: RUN_PID }, { name: `plumb ${spec} ${binding}` }),
      meta('process_sort_index', { pid: RUN_PID }, { sort_index: 0 }),
      ...[...inside].flatMap((name) => this.#named(name)),
    ]
  }

  #named(name: string): TraceEvent[] {
    const place = this.of(name)
    return [meta('thread_name', place, { name }), meta('thread_sort_index', place, { sort_index: place.tid })]
  }

  spawned({ process, runs, pid }: WatchEvent & { kind: 'spawned' }): TraceEvent[] {
    const place = { pid: ++this.#lastPid, tid: WORK_TID }
    this.#places.set(process, place)
    return [
      meta('process_name', { pid: place.pid }, { name: `${runs} ${process}` }),
      meta('process_labels', { pid: place.pid }, { labels: `pid ${pid}` }),
      meta('process_sort_index', { pid: place.pid }, { sort_index: place.pid }),
      meta('thread_name', place, { name: 'messages' }),
    ]
  }

  of(process: string): Place {
    return this.#places.get(process) ?? { pid: RUN_PID, tid: 0 }
  }
}

const meta = (name: string, place: { readonly pid: number; readonly tid?: number }, args: TraceEvent['args'] & object): TraceEvent => ({
  name,
  ph: 'M',
  ...place,
  args,
})
