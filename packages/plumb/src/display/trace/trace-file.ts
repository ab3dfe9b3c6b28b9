// --trace FILE: what happens, streamed to disk as a trace that Perfetto opens.

import { type Fault, type Result, scrub, succeed } from '@plumb/wire'
import type { Watcher } from '../../event/run-event.js'
import { type LineFile, openLineFile } from '../../record/line-file.js'
import { TraceBuilder } from './trace-builder.js'

const DELAY_MS = 200

export interface TraceOptions {
  readonly path: string
  /** Where it ends, whatever is still to come; without, it has all. */
  readonly maxBytes?: number
  /** Where it goes in front: it is the first that gives its room to what matters more. */
  readonly spare?: LineFile[]
  /** Told once when it cannot be written any more; the run goes on. */
  readonly fail: (fault: Fault) => void
}

/** An event a line. */
export const openTrace = ({ path, maxBytes = Number.POSITIVE_INFINITY, spare, fail }: TraceOptions): Result<Watcher> => {
  const opened = openLineFile({ path, delayMs: DELAY_MS, fail, isSpared: spare !== undefined })
  if (!opened.ok) return opened
  const file = opened.value
  spare?.unshift(file)
  let separator = '['
  let bytes = 0
  const builder = new TraceBuilder((event) => {
    const line = separator + scrub(JSON.stringify(event))
    bytes += line.length + 1
    file.add(line)
    separator = ','
  })
  return succeed({
    on: (event) => {
      if (bytes < maxBytes) builder.on(event)
    },
    finish: async () => {
      // The format does without its end, so that a run that is killed leaves a trace too.
      file.add(separator === '[' ? '[]' : ']')
      file.flush()
    },
  })
}
