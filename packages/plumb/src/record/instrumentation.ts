// Most runs are not watched, recorded or limited, and then nothing of what does it is loaded.

import type { Graph } from '@plumb/lang'
import { type Result, succeed } from '@plumb/wire'
import { isSeen } from '../display/display.js'
import type { Watch } from '../event/emitter.js'
import type { RunOptions } from '../run-options.js'
import type { Observation, ObservationOptions } from './open-instrumentation.js'

export const UNOBSERVED = { watch: undefined, resumed: undefined, isRecorded: false, nestedRecord: () => [], release: () => {} } as const

/** Nothing was started where it fails; folders and files may have been made. */
export const observe = async (o: ObservationOptions): Promise<Result<Observation>> => {
  const { options } = o
  const isObserved = isSeen(options) || Object.values(options.watching).some((value) => value !== undefined)
  if (!isObserved) return succeed({ ...UNOBSERVED, rejects: undefined, spending: undefined })
  const { openObservation } = await import('./open-instrumentation.js')
  return openObservation(o)
}

/** What whoever watches is told first; `spec` as it was named. */
export const tellBegin = async (watch: Watch, graph: Graph, spec: string, options: RunOptions): Promise<void> => {
  const { beginOf } = await import('../event/begin.js')
  watch.tell(beginOf(graph, spec, options))
}
