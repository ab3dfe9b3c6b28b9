// plumb view: a recorded run, or a trace of one, as a page that shows it.

import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { toSvg } from '@plumb/runtime/draw'
import { writeWhole } from '@plumb/runtime/record'
import { Reporter, type Result, succeed } from '@plumb/wire'
import { runPage } from './page.js'
import type { Selection } from './page-limits.js'
import { readRun } from './read-run.js'
import { withRecord } from './record-facts.js'
import { readTrace } from './trace-lines.js'

export interface ViewOptions {
  /** Default, and `-`: stdout. */
  readonly output: string | undefined
  /** The first and the last input, from 1. */
  readonly seq: readonly [number, number] | undefined
  /** Seconds since the beginning. */
  readonly from: number | undefined
}

/** Of a recorded run. */
const TRACE = 'trace.json'
const RECORD = 'run.json'

/** Resolves to the exit status. */
export const view = async (path: string, { output, seq: seqs, from }: ViewOptions): Promise<number> => {
  const reporter = new Reporter('plumb')
  const page = await readPage(path, { seqs, from: from === undefined ? undefined : from * 1_000_000 })
  const failure = page.ok ? await writeWhole(Buffer.from(page.value), output === '-' ? undefined : output) : page.error
  if (failure) reporter.report(failure)
  await reporter.end()
  return reporter.status
}

const readPage = async (path: string, selection: Selection): Promise<Result<string>> => {
  const file = traceOf(path)
  const trace = await readTrace(file)
  if (!trace.ok) return trace
  const run = readRun(trace.value, file, selection)
  if (!run.ok) return run
  const shown = file === path ? run.value : withRecord(run.value, dirname(file))
  return succeed(runPage(shown, await draw(shown.dot)))
}

// The file may hold any text.
const draw = async (dot: string): Promise<string | undefined> => {
  try {
    return await toSvg(dot)
  } catch {
    return undefined
  }
}

const traceOf = (path: string): string => {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return join(path, TRACE)
  return path.endsWith(RECORD) ? join(dirname(path), TRACE) : path
}
