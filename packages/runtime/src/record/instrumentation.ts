// Records and limits a run, and emits its events to listeners; opened before anything is started.

import { join } from 'node:path'
import type { Graph } from '@plumb/lang'
import { makeJournal } from '@plumb/ledger/approval'
import { type Fault, fail, fault, isAbsent, type Result, succeed } from '@plumb/wire'
import { openEmitter, type RunEmitter } from '../event/emitter.js'
import type { RunListener } from '../event/run-event.js'
import type { Secrets } from '../event/secrets.js'
import { wiresOf } from '../event/wires.js'
import type { RunOptions } from '../options/run-options.js'
import type { LoadedSpec } from '../spec/load.js'
import { sharesAgentLimits } from './agent-limits.js'
import { BUDGET_FILE, clearDirectory, enterDirectory, RUN_FILE, readRunFile } from './directory.js'
import { describeDifference, identityOfRun, type RunIdentity } from './identity.js'
import { approvalsIn } from './kept-answers.js'
import { openLineFile } from './line-file.js'
import type { ReleaseLock } from './lock.js'
import { ParkedMessages } from './parked-messages.js'
import { openRecorder, type RecordDirectory } from './recorder.js'
import { Rejects } from './rejects.js'
import type { RecordedAnswers } from './resume/answers.js'
import { changedAgents } from './resume/changed-agents.js'
import { notResumable, whyNotResumable } from './resume/not-resumable.js'
import { readAnswers } from './resume/read-answers.js'
import { openRunBudget, type RunBudget } from './run-budget.js'

export interface Instrumentation {
  /** Undefined: no listener, so no event is made. */
  readonly emitter: RunEmitter | undefined
  readonly rejects: Rejects | undefined
  readonly budget: RunBudget | undefined
  /** Undefined: a call that needs approval is an error of its message, or handled by the parent. */
  readonly parked: ParkedMessages | undefined
  /** By the places of agents: their answers in the resumed run. */
  readonly resumed: ReadonlyMap<string, RecordedAnswers> | undefined
  readonly isRecorded: boolean
  /** The secrets to hide. Undefined: nothing is secret. */
  readonly secrets: Secrets | undefined
  /** Options that give a nested plumb a record of its own. */
  readonly nestedRecord: (place: string) => readonly string[]
  /** Call it once all is written: other runs may then have the record. */
  readonly release: ReleaseLock
}

export interface InstrumentationOptions {
  readonly graph: Graph
  readonly spec: string
  readonly loaded: LoadedSpec
  readonly options: RunOptions
  /** The secrets to hide. Undefined: nothing is secret. */
  readonly secrets: Secrets | undefined
  /** Further listeners, opened once the directory of a record is there. */
  readonly openListeners: (record: RecordDirectory | undefined) => Promise<Result<readonly RunListener[]>>
  readonly report: (fault: Fault) => void
  readonly warn: (warning: Fault) => void
}

/** If it fails nothing was started; directories and files may have been made. */
export const openInstrumentation = async (o: InstrumentationOptions): Promise<Result<Instrumentation>> => {
  const { graph, options } = o
  const { record, resume } = options.recording
  const directory = resume ?? record
  const isNested = options.spec.sourcesFd !== undefined
  const locked =
    directory === undefined ? succeed(() => {}) : await (resume === undefined ? clearDirectory : enterDirectory)(directory, { isNested })
  if (!locked.ok) return locked
  const identity = directory === undefined ? undefined : await identityOfRun(o.loaded, graph, options)
  const resumed = resume === undefined || !identity ? succeed(undefined) : readRecordedAnswers(resume, identity, isNested, o)
  if (!resumed.ok) {
    locked.value()
    return resumed
  }
  if (record !== undefined && !isNested)
    for (const words of whyNotResumable(graph, options.programs.agent, o.secrets)) o.warn(notResumable(words))
  const approvals = isNested ? undefined : approvalsIn(options.recording)
  // Before the record is complete.
  const unmade = approvals === undefined ? undefined : makeJournal(approvals)
  if (unmade) {
    locked.value()
    return { ok: false, error: unmade }
  }
  const place = directory === undefined ? undefined : { directory, spare: [] }
  const recorder = place === undefined || !identity ? succeed(undefined) : openRecord(place, identity, resumed.value, o)
  if (!recorder.ok) return recorder
  const listeners = await o.openListeners(place)
  if (!listeners.ok) return listeners
  const rejects = openRejects(o)
  if (!rejects.ok) return rejects
  const budget = openRunBudget({
    limits: options.limits,
    prices: options.display.prices,
    path: directory === undefined ? undefined : join(directory, BUDGET_FILE),
    hasAgentLimits: sharesAgentLimits(o.loaded.compiled.program, options),
  })
  if (!budget.ok) return budget
  const emitter = openEmitter([...(recorder.value ? [recorder.value] : []), ...listeners.value])
  return succeed({
    parked: approvals === undefined ? undefined : new ParkedMessages(approvals, directory ?? ''),
    secrets: o.secrets,
    emitter: o.secrets ? emitter && o.secrets.emitter(emitter) : emitter,
    rejects: rejects.value,
    budget: budget.value,
    resumed: resumed.value,
    isRecorded: directory !== undefined,
    nestedRecord: (place) =>
      directory === undefined || o.secrets?.isIn(place) ? [] : nestedRecord(join(directory, place), resume !== undefined),
    release: locked.value,
  })
}

const readRecordedAnswers = (
  directory: string,
  now: RunIdentity,
  isNested: boolean,
  { graph, options, secrets, warn }: InstrumentationOptions,
): Result<ReadonlyMap<string, RecordedAnswers> | undefined> => {
  const before = readRunFile(directory)
  if (!before.ok) return before
  const difference = describeDifference(before.value, now)
  if (difference !== undefined && options.recording.isSame)
    return fail('record_invalid', `'${directory}' is the record of another run, and --same takes no other: ${difference}`)
  const agentProgram = options.programs.agent
  const reasons = whyNotResumable(graph, agentProgram, secrets)
  if (reasons.length > 0) return { ok: false, error: notResumable(reasons.join('; and ')) }
  // A parent has reported it, for everything inside.
  if (difference !== undefined && !isNested) warn(specChanged(difference, changedAgents(before.value.agents ?? {}, now.agents)))
  return readAnswers(directory, graph, options)
}

const specChanged = (difference: string, agents: readonly string[]): Fault => {
  const again = agents.length === 0 ? 'no agent asks again for that' : `${agents.join(', ')} ask${agents.length === 1 ? 's' : ''} again`
  return fault('spec_changed', `${difference}; ${again}`, { agents })
}

const openRecord = (
  place: RecordDirectory,
  identity: RunIdentity,
  answers: Instrumentation['resumed'],
  { graph, spec, options, report }: InstrumentationOptions,
): Result<RunListener> => {
  const resumed = answers && new Set(answers.keys())
  const { binding } = options.run
  const wires = [...wiresOf(graph).values()]
  return openRecorder({ ...place, identity, wires, resumed, spec, binding, report })
}

const openRejects = ({ options, report }: InstrumentationOptions): Result<Rejects | undefined> => {
  const { recording, lines } = options
  if (recording.rejects === undefined) return succeed(undefined)
  const file = openLineFile({ path: recording.rejects, delayMs: 0, fail: report })
  if (!file.ok) return file
  return succeed(new Rejects({ file: file.value, isRaw: lines.rawInput }))
}

// The nested run has no record yet if the run stopped before it.
const nestedRecord = (directory: string, isResumed: boolean): readonly string[] =>
  isResumed && !isAbsent(join(directory, RUN_FILE)) ? ['--resume', directory] : ['--record', directory]
