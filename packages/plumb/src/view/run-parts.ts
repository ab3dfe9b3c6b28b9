// Reads a run from its record, or a trace of one, with all that its page shows.

import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type ListedCall, readCalls, stateNow } from '@plumb/ledger/approval'
import { toSvg, withFigures } from '@plumb/runtime/draw'
import { noRecord } from '@plumb/runtime/record'
import { fail, isAbsent, type Result, succeed } from '@plumb/wire'
import { readTrace } from '../record/trace-lines.js'
import { GROWING_FILE, readGrowing } from './growing.js'
import { TRACE_FILE, withNested } from './nested.js'
import type { PageParts } from './page.js'
import type { Selection } from './page-limits.js'
import { picturesBelow } from './pictures.js'
import { readRun } from './read-run.js'
import { withRecord } from './record-facts.js'
import { noTexts, RecordTexts } from './record-texts.js'
import { figuresOf, placesInDot } from './run-figures.js'
import type { RunModel } from './run-model.js'

const RECORD = 'run.json'
const APPROVALS = 'approvals.jsonl'

export type RunParts = Omit<PageParts, 'isServed'>

/** `path`: the directory or the run.json of a record, or a trace. */
export const readRunParts = async (path: string, selection: Selection = {}): Promise<Result<RunParts>> => {
  const file = traceOf(path)
  const trace = await readTrace(file)
  if (!trace.ok) return isNoRecord(path, file) ? fail('record_invalid', noRecord(path)) : trace
  const read = readRun(trace.value, file, selection)
  if (!read.ok) return read
  if (file === path)
    return succeed({
      run: read.value,
      svg: await draw(read.value),
      texts: noTexts,
      pictures: picturesBelow(['.']),
      waiting: [],
      growing: [],
      directory: undefined,
    })
  const directory = dirname(file)
  const run = await withNested(withRecord(read.value, directory), directory)
  return succeed({
    run,
    svg: await draw(run),
    texts: new RecordTexts(directory),
    pictures: picturesBelow(['.', dirname(directory)]),
    waiting: waitingIn(directory),
    growing: run.status === undefined ? readGrowing(join(directory, GROWING_FILE)) : [],
    directory,
  })
}

const isNoRecord = (path: string, file: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true && [file, join(path, RECORD)].every(isAbsent)

const waitingIn = (directory: string): readonly ListedCall[] => {
  const path = join(directory, APPROVALS)
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return []
  const calls = readCalls(path)
  return calls.ok ? [...calls.value.values()].filter((call) => ['waits', 'in_doubt'].includes(stateNow(call, Date.now()))) : []
}

// The file may hold any text; nothing in a picture leads away from the page.
const draw = async (run: RunModel): Promise<string | undefined> => {
  try {
    const dot = withFigures(run.dot, figuresOf(run, placesInDot(run.dot, run), { links: true }))
    return (await toSvg(dot)).replace(/\s(?:xlink:)?href="(?!#)[^"]*"/g, '')
  } catch {
    return undefined
  }
}

const traceOf = (path: string): string => {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return join(path, TRACE_FILE)
  return path.endsWith(RECORD) ? join(dirname(path), TRACE_FILE) : path
}
