// Completes a run from the other files of its record: a record keeps only the first part of a long timeline.

import { closeSync, fstatSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { readRunFile } from '@plumb/runtime/record'
import { scanLines } from '@plumb/wire'
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
    return total > one.messages.total ? { ...one, messages: { ...one.messages, total } } : one
  })
  const isKnown = Number.isFinite(lasted) && typeof status === 'number'
  const isLonger = wires.some(({ messages }, i) => messages.total > (run.wires[i]?.messages.total ?? 0))
  return {
    ...run,
    wires,
    ...(isKnown || isLonger ? { traceEnd: run.end } : {}),
    ...(isKnown ? { end: Math.max(run.end, lasted), status, stoppedBy: typeof stoppedBy === 'string' ? stoppedBy : undefined } : {}),
  }
}

/** Returns 0 if the file cannot be read. */
const countLines = (path: string): number => {
  let count = 0
  let fd: number | undefined
  try {
    fd = openSync(path, 'r')
    scanLines(fd, { from: 0, to: fstatSync(fd).size, maxBytes: 0 }, () => {
      count++
      return true
    })
  } catch {
    // Values from the timeline take precedence.
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
  return count
}
