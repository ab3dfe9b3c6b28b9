// The settings for starting the children of a run.

import type { AgentPlan, Bound } from '@plumb/lang'
import type { Consent, Prices } from '@plumb/ledger'
import type { AskTerminal } from '@plumb/policy'
import type { AgentSandbox, Session, StandIn } from '@plumb/tool/internal'
import type { Deliveries, Fault, InitialMemory, SourceFiles, StateFile } from '@plumb/wire'
import type { RunEmitter } from '../event/emitter.js'
import type { Secrets } from '../event/secrets.js'
import type { SharedStates } from '../graph/morphism/shared-states.js'
import { type RunOptions, wordsOfAgents } from '../options/run-options.js'
import type { RecordedAnswers } from '../record/resume/answers.js'
import type { AuthoritySource } from './authority-source.js'
import type { ServerOffers } from './server-offers.js'

export interface SpawnSettings {
  readonly files: SourceFiles
  readonly options: Pick<RunOptions, 'run' | 'lines' | 'agents' | 'programs' | 'kept'>
  /** As found. */
  readonly docroot: string | undefined
  readonly authoritySource: AuthoritySource
  /** Sandboxes of agents that are programs. */
  readonly boxes?: ReadonlyMap<Bound, AgentSandbox> | undefined
  /** The doubles of tools, in a test. */
  readonly standIn?: StandIn
  readonly report: (fault: Fault) => void
  /** The person at the terminal of this run. Undefined: agents have nobody to ask but by their control. */
  readonly askPerson?: AskTerminal | undefined
  /** Asks a person whether a call may be made, in place of the terminal. */
  readonly ask?:
    | ((
        request: {
          readonly tool: string
          readonly input: unknown
          readonly text?: string | undefined
          readonly wrong?: string | undefined
        },
        signal: AbortSignal,
      ) => Promise<Consent | undefined>)
    | undefined
  /** Nothing is drawn on the terminal while a person is asked something there. */
  readonly withoutLiveLines?: <T>(ask: () => Promise<T>) => Promise<T>
  readonly emitter: RunEmitter | undefined
  /** The cost of a request to a model, if there are prices. */
  readonly costOf?: Session['costOf']
  /** Prices for foreign programs, if money is limited. */
  readonly prices?: Prices | undefined
  /** For a parent that asked for telemetry: what none of our children reports itself. */
  readonly emitToParent?: ((json: string) => void) | undefined
  /** Tells a parent by telemetry, whether it asked for that or not: it may have to tell a person. */
  readonly tellParent?: ((json: string) => void) | undefined
  readonly isRecorded: boolean
  /** The secrets to hide. Undefined: nothing is secret. */
  readonly secrets?: Secrets | undefined
  /** Options that give a nested plumb a record of its own. */
  readonly nestedRecord: (place: string) => readonly string[]
  /** Recorded answers of the resumed run, by the places of agents. */
  readonly resumed: ReadonlyMap<string, RecordedAnswers> | undefined
  /** The memory of agents and folds, and where they report it. */
  readonly state?: StateFile | undefined
  /** Of a served binding. */
  readonly sharedStates?: SharedStates | undefined
  /** The place of a call in the trace of its request; by default that of the run. */
  readonly trace?: Session['trace'] | undefined
  /** Its agents answer one request after the other: each has a control channel, which sets its memory in between. */
  readonly isReused?: boolean | undefined
  /** The deliveries of our inputs, in a run by workers. */
  readonly deliveries?: Deliveries | undefined
}

/** The initial memory of the agent at this place, if it has any. */
export const memoryAt = (place: string, { state, resumed }: SpawnSettings): readonly InitialMemory[] => {
  const { memory: messages = [] } = resumed?.get(place) ?? {}
  return state?.memoriesOf(place) ?? (messages.length > 0 ? [{ messages }] : [])
}

/** The descriptor on which a nested plumb is asked to flush its batches: it has no port of its own there. */
export const LET_GO_FD = 6

/** The maximum overhead of a message between us and our children. */
export const ENVELOPE_BYTES = 256

/** Options for each of our children, wherever it runs. */
export const wordsForChildren = ({ options: { run, lines, agents } }: SpawnSettings): readonly string[] => [
  ...['--max-line', String(lines.maxLine + ENVELOPE_BYTES)],
  ...(run.isFailFast ? ['--fail-fast'] : []),
  ...wordsOfAgents(agents),
]

/** From an agent of the graph to the settings of its start. */
export interface AgentStart {
  readonly plan: AgentPlan
  /** Instead of plumb-agent. */
  readonly program: readonly string[] | undefined
  readonly fds: Readonly<Record<number, 'in' | 'out'>>
  readonly settings: SpawnSettings
  /** The offers of its MCP servers, if it has any. */
  readonly offers: ServerOffers | undefined
}

/** Variables that the spec names. */
export const envNames = ({ config }: AgentPlan): readonly string[] => (config.env as readonly string[] | undefined) ?? []

/** It has tools, so it needs a dispatcher. */
export const hasTools = (plan: AgentPlan): boolean => isFilled(plan.config.tools) || hasServers(plan)

export const hasServers = ({ config: { mcp } }: AgentPlan): boolean => isFilled(mcp)

const isFilled = (list: unknown): boolean => Array.isArray(list) && list.length > 0
