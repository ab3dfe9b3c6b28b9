// The tracks of a trace: the run is one process with a track for each stage inside it; each child is a process of its own.

import type { RunEvent } from '../../event/run-event.js'
import type { TraceEvent } from './trace-event.js'

/** A line of Perfetto's screen, where slices do not overlap. */
export interface Track {
  readonly pid: number
  readonly tid: number
}

export const RUN_PID = 1
/** The first track of a child: its messages. Requests to models and tool calls have tracks of their own beside it. */
const MESSAGES_TID = 1

/** Gives each process its track, and makes the events that name them. */
export class TraceLayout {
  readonly #tracks = new Map<string, Track>()
  #lastPid = RUN_PID

  begin({ spec, binding, nodes }: RunEvent & { kind: 'begin' }): TraceEvent[] {
    const inside = new Set(nodes.flatMap(({ name, kind }) => (kind === 'agent' || kind === 'plumb' ? [] : [name])))
    for (const name of inside) this.#tracks.set(name, { pid: RUN_PID, tid: this.#tracks.size + 1 })
    return [
      meta('process_name', { pid: RUN_PID }, { name: `plumb ${spec} ${binding}` }),
      meta('process_sort_index', { pid: RUN_PID }, { sort_index: 0 }),
      ...[...inside].flatMap((name) => this.#named(name)),
    ]
  }

  #named(name: string): TraceEvent[] {
    const track = this.of(name)
    return [meta('thread_name', track, { name }), meta('thread_sort_index', track, { sort_index: track.tid })]
  }

  spawned({ process, runs, pid }: RunEvent & { kind: 'spawned' }): TraceEvent[] {
    const track = { pid: ++this.#lastPid, tid: MESSAGES_TID }
    this.#tracks.set(process, track)
    return [
      meta('process_name', { pid: track.pid }, { name: `${runs} ${process}` }),
      meta('process_labels', { pid: track.pid }, { labels: `pid ${pid}` }),
      meta('process_sort_index', { pid: track.pid }, { sort_index: track.pid }),
      meta('thread_name', track, { name: 'messages' }),
    ]
  }

  of(process: string): Track {
    return this.#tracks.get(process) ?? { pid: RUN_PID, tid: 0 }
  }
}

const meta = (name: string, track: { readonly pid: number; readonly tid?: number }, args: TraceEvent['args'] & object): TraceEvent => ({
  name,
  ph: 'M',
  ...track,
  args,
})
