// What a scan that was stopped by its deadline says at the end of its result.

import type { CallRecord } from '../../../call/call.js'

/** Marks the result as partial, so that it is given in place of the error. `count`: files that were looked at. */
export const stoppedNotes = (signal: AbortSignal, record: CallRecord, did: string, count: number): string[] => {
  if (!signal.aborted) return []
  record.isPartial = true
  return [`[stopped: the time was up when ${count} of its files were ${did}; name a directory below it, or less, for the others]`]
}
