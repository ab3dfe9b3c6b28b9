// Most runs are not watched, recorded or limited, and then nothing of what does it is loaded.

import { type Result, succeed } from '@plumb/wire'
import type { Observation, ObservationOptions } from './observation.js'
import { isSeen } from './open-sight.js'

export const UNOBSERVED = { watch: undefined, resumed: undefined, isRecorded: false, nestedRecord: () => [] } as const

/** Nothing was started where it fails; folders and files may have been made. */
export const observe = async (o: ObservationOptions): Promise<Result<Observation>> => {
  const { options } = o
  const isObserved = isSeen(options) || Object.values(options.watching).some((value) => value !== undefined)
  if (!isObserved) return succeed({ ...UNOBSERVED, rejects: undefined, spending: undefined })
  const { openObservation } = await import('./observation.js')
  return openObservation(o)
}
