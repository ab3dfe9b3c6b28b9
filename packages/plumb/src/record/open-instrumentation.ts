// All that a run is watched, recorded and limited by, opened before anything starts.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Graph } from '@plumb/lang'
import { type Fault, fail, type LineReader, type Result, succeed } from '@plumb/wire'
import { openWatch, type Watch } from '../event/emitter.js'
import type { Watcher } from '../event/run-event.js'
import { wiresOf } from '../event/wires.js'
import type { Loaded } from '../load.js'
import type { RunOptions } from '../run-options.js'
import { clearFolder, enterFolder, RUN_FILE, readRunFile } from './folder.js'
import { differenceOf, type Identity, identityOf } from './identity.js'
import { openLineFile } from './line-file.js'
import type { Release } from './lock.js'
import { openRecorder, type RecordPlace } from './recorder.js'
import { Rejects } from './rejects.js'
import type { Answers } from './resume/answers.js'
import { obstaclesOf } from './resume/not-resumable.js'
import { readAnswers } from './resume/read-answers.js'
import { openSpending, type Spending } from './run-budget.js'

/** As given on the command line. */
export interface WatchingOptions {
  readonly record: string | undefined
  /** Also where it is recorded. */
  readonly resume: string | undefined
  readonly rejects: string | undefined
  readonly maxCalls: number | undefined
  readonly maxTotalTokens: number | undefined
  readonly deadlineMs: number | undefined
}

export interface Observation {
  readonly watch: Watch | undefined
  readonly rejects: Rejects | undefined
  readonly spending: Spending | undefined
  readonly resumed: ReadonlyMap<string, Answers> | undefined
  readonly isRecorded: boolean
  readonly nestedRecord: (place: string) => readonly string[]
  /** Once all is written: others may have the record. */
  readonly release: Release
}

export interface ObservationOptions {
  readonly graph: Graph
  readonly spec: string
  readonly loaded: Loaded
  readonly options: RunOptions
  readonly reader: LineReader
  /** Others who watch, opened once the folder of a record is there. */
  readonly openWatchers: (record: RecordPlace | undefined) => Result<readonly Watcher[]>
  readonly report: (fault: Fault) => void
}

/** Nothing was started where it fails; folders and files may have been made. */
export const openObservation = async (o: ObservationOptions): Promise<Result<Observation>> => {
  const { graph, options } = o
  const { record, resume } = options.watching
  const folder = resume ?? record
  const isNested = options.sourcesFd !== undefined
  const locked = folder === undefined ? succeed(() => {}) : await (resume === undefined ? clearFolder : enterFolder)(folder, { isNested })
  if (!locked.ok) return locked
  const identity = folder === undefined ? undefined : identityOf(o.loaded, options)
  const resumed = resume === undefined || !identity ? succeed(undefined) : takeUp(resume, identity, graph, options)
  if (!resumed.ok) return resumed
  const place = folder === undefined ? undefined : { folder, spare: [] }
  const recorder = place === undefined || !identity ? succeed(undefined) : openRecord(place, identity, o)
  if (!recorder.ok) return recorder
  const watchers = o.openWatchers(place)
  if (!watchers.ok) return watchers
  const rejects = openRejects(o)
  if (!rejects.ok) return rejects
  const spending = openSpending(options.watching)
  if (!spending.ok) return spending
  return succeed({
    watch: openWatch([...(recorder.value ? [recorder.value] : []), ...watchers.value]),
    rejects: rejects.value,
    spending: spending.value,
    resumed: resumed.value,
    isRecorded: folder !== undefined,
    nestedRecord: (place) => (folder === undefined ? [] : nestedRecord(join(folder, place), resume !== undefined)),
    release: locked.value,
  })
}

const takeUp = (
  folder: string,
  now: Identity,
  graph: Graph,
  { agentProgram }: RunOptions,
): Result<ReadonlyMap<string, Answers> | undefined> => {
  const before = readRunFile(folder)
  if (!before.ok) return before
  const difference = differenceOf(before.value, now)
  if (difference !== undefined) return fail('record_invalid', `'${folder}' is the record of another run: ${difference}`)
  const [first, ...rest] = obstaclesOf(graph, agentProgram)
  if (first === undefined) return readAnswers(folder, graph)
  const more = rest.length === 0 ? '' : `; and ${rest.join('; ')}`
  return fail('record_invalid', `this run cannot be resumed, since its record does not tell all that was remembered: ${first}${more}`)
}

const openRecord = (place: RecordPlace, identity: Identity, { graph, spec, options, report }: ObservationOptions): Result<Watcher> => {
  const isResumed = options.watching.resume !== undefined
  const { binding } = options
  return openRecorder({ ...place, identity, wires: [...wiresOf(graph).values()], isResumed, spec, binding, report })
}

const openRejects = ({ options, reader, report }: ObservationOptions): Result<Rejects | undefined> => {
  const { watching, rawInput: isRaw } = options
  if (watching.rejects === undefined) return succeed(undefined)
  const file = openLineFile({ path: watching.rejects, delayMs: 0, fail: report })
  if (!file.ok) return file
  const rejects = new Rejects({ file: file.value, isRaw })
  rejects.listenTo(reader)
  return succeed(rejects)
}

// It may not have come to that when the run stopped.
const nestedRecord = (folder: string, isResumed: boolean): readonly string[] =>
  isResumed && existsSync(join(folder, RUN_FILE)) ? ['--resume', folder] : ['--record', folder]
