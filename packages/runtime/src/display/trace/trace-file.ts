// --trace FILE: the events of a run, streamed to disk as a trace that Perfetto opens.

import { type Fault, type Result, scrub, succeed } from '@plumb/wire'
import type { RunListener } from '../../event/run-event.js'
import { type LineFile, openLineFile } from '../../record/line-file.js'
import type { CostOf } from '../stats-counter.js'
import { TraceBuilder } from './trace-builder.js'

const DELAY_MS = 200

export interface TraceFileOptions {
  readonly path: string
  /** No event is added beyond this size; undefined: no limit. */
  readonly maxBytes?: number
  /** The trace goes in front: where the disk is full, it is the first file that is emptied. */
  readonly spare?: LineFile[]
  /** Without it no request has a price. */
  readonly costOf?: CostOf
  /** Called once when it cannot be written any more; the run goes on. */
  readonly fail: (fault: Fault) => void
}

/** Writes one event a line. */
export const openTraceFile = ({
  path,
  maxBytes = Number.POSITIVE_INFINITY,
  spare,
  costOf,
  fail,
}: TraceFileOptions): Result<RunListener> => {
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
  }, costOf)
  return succeed({
    on: (event) => {
      if (bytes < maxBytes) builder.on(event)
    },
    finish: async () => {
      // The format allows that its end is missing, so a run that is killed leaves a trace too.
      file.add(separator === '[' ? '[]' : ']')
      file.flush()
    },
  })
}
