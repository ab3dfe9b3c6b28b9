// Completes a run from the other files of its record: a record keeps only the first part of a long timeline.

import { join } from 'node:path'
import { isBeingWritten, readRunFile } from '@plumb/runtime/record'
import { eachLine } from './file-lines.js'
import type { RunModel } from './run-model.js'

/** Adds counts, end and status of the whole run. Returns `run` unchanged if its timeline is complete or nothing more is known. */
export const withRecord = (run: RunModel, directory: string): RunModel => {
  if (run.status !== undefined) return run
  const file = readRunFile(directory)
  if (!file.ok) return run
  const { began, ended, status, stopped_by: stoppedBy } = file.value
  const lasted = (Date.parse(ended ?? '') - Date.parse(began)) * 1000
  const wires = run.wires.map((one) => {
    const total = countLines(join(directory, `${one.wire.name}.jsonl`))
    return { ...one, total: Math.max(total, one.total) }
  })
  const isGoingOn = ended === undefined && isBeingWritten(directory)
  const isKnown = Number.isFinite(lasted) && typeof status === 'number'
  const isLonger = wires.some(({ total }, i) => total > (run.wires[i]?.total ?? 0))
  return {
    ...run,
    wires,
    isGoingOn,
    // What a run that goes on has not written yet is not left out.
    ...(isKnown || (isLonger && !isGoingOn) ? { traceEnd: run.end } : {}),
    ...(isKnown
      ? {
          end: run.isSelection ? run.end : Math.max(run.end, lasted),
          status,
          stoppedBy: typeof stoppedBy === 'string' ? stoppedBy : undefined,
        }
      : {}),
  }
}

/** Returns 0 if the file cannot be read. */
const countLines = (path: string): number => {
  let count = 0
  eachLine(path, 0, () => void count++)
  return count
}
