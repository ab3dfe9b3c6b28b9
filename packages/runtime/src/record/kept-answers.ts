// Where the answers of models are kept in a run, for all its agents: in a cache, in its record, or in those of its parent.

import { join, resolve } from 'node:path'
import { agentOf, type Graph, planOf } from '@plumb/lang'
import { currentKept, type Fault, fault, isAbsent, type Result, setCurrentKept, succeed } from '@plumb/wire'
import type { Secrets } from '../event/secrets.js'
import { placesOf } from '../event/wires.js'
import type { RunOptions } from '../options/run-options.js'

/** In the directory of a record: the calls that wait for approval. */
export const APPROVALS_FILE = 'approvals.jsonl'
/** In the directory of a record; no process can have that name. */
export const KEPT_DIRECTORY = 'kept-answers'

type KeptOptions = Pick<RunOptions, 'kept' | 'recording' | 'programs'>

/** For agents that are started from now on. */
export const openKeptAnswers = async (graph: Graph, options: KeptOptions, secrets: Secrets | undefined): Promise<Result<void>> => {
  const { kept, recording, programs } = options
  const { cache, isCacheOnly, keptFd } = kept
  const record = recording.resume ?? recording.record
  if (keptFd !== undefined) {
    setCurrentKept({ fd: keptFd, isOnly: isCacheOnly })
    const { holdKept } = await import('@plumb/ledger/kept')
    const held = holdKept(keptFd)
    if (!held.ok) return held
  }
  if (keptFd !== undefined || (cache === undefined && record === undefined)) return succeed(undefined)
  const refused = isCacheOnly ? refuseElsewhere(graph) : undefined
  if (refused) return { ok: false, error: refused }
  const stores = [
    ...(record === undefined ? [] : [{ path: resolve(join(record, KEPT_DIRECTORY)), isRecord: true }]),
    ...(cache === undefined ? [] : [{ path: resolve(cache) }]),
  ]
  const places = keptPlacesOf(graph, programs.agent)
  const { openKeptForChildren } = await import('@plumb/ledger/kept')
  return openKeptForChildren({
    stores,
    isOnly: isCacheOnly,
    approvals: approvalsIn(recording),
    places,
    unrecorded: secrets?.places ?? [],
  })
}

/** An agent elsewhere asks whatever --cache-only says. */
export const refuseElsewhere = (graph: Graph): Fault | undefined => {
  const asks = agentsOf(graph).find(({ isHere }) => !isHere)
  return asks && fault('config_invalid', `agent '${asks.place}' runs elsewhere, where --cache-only does not reach: leave out 'via'`)
}

/** Undefined: calls that need approval are refused without a person. A run that parked calls continues to do so when it is resumed. */
export const approvalsIn = ({ record, resume, isParking }: RunOptions['recording']): string | undefined => {
  const directory = resume ?? record
  const path = directory === undefined ? undefined : resolve(join(directory, APPROVALS_FILE))
  return path !== undefined && (isParking || (resume !== undefined && !isAbsent(path))) ? path : undefined
}

/** The places of all plumb-agents in a run of the graph, nested plumbs included. */
export const keptPlacesOf = (graph: Graph, agentProgram?: string): readonly string[] =>
  agentsOf(graph, agentProgram).map(({ place }) => place)

/** The place of a process within the run, nested plumbs included. Undefined: no answers are kept. */
export const keptPlaceOf = (place: string, around: string | undefined): string | undefined =>
  currentKept() && (around === undefined ? place : `${around}~${place}`)

interface AgentPlace {
  readonly place: string
  /** It is a plumb-agent, on this machine. */
  readonly isHere: boolean
}

const agentsOf = (graph: Graph, agentProgram?: string, around = ''): AgentPlace[] =>
  [...placesOf(graph)].flatMap(([{ work }, place]): AgentPlace[] => {
    if (work.kind === 'plumb') return agentsOf(planOf(work.bound), agentProgram, `${around}${place}~`)
    if (work.kind !== 'agent') return []
    const { command, via } = agentOf(work.bound).config
    if (command !== undefined || agentProgram !== undefined) return []
    return [{ place: `${around}${place}`, isHere: via === undefined }]
  })
