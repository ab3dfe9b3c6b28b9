// What is needed to start the children of a run.

import type { AgentPlan, Bound } from '@plumb/lang'
import type { AgentSandbox, Session, StandIn } from '@plumb/tool'
import type { Deliveries, Fault, Prices, SourceFiles, StateFile } from '@plumb/wire'
import type { RunEmitter } from '../event/emitter.js'
import type { Secrets } from '../event/secrets.js'
import type { RecordedAnswers } from '../record/resume/answers.js'
import type { AuthoritySource } from '../tools/authority-source.js'
import type { ServerOffers } from './server-offers.js'

export interface SpawnSettings {
  readonly files: SourceFiles
  /** Options handed on to every child: provider, model, hosts. */
  readonly handedOn: readonly string[]
  /** As on the command line. */
  readonly docroot: string | undefined
  readonly provider: string | undefined
  readonly model: string | undefined
  /** A program in place of plumb-agent (--agent-command, PLUMB_AGENT). */
  readonly agentProgram: string | undefined
  /** A program in place of the dispatcher of tools (--tool-command, PLUMB_TOOL). */
  readonly toolProgram: string | undefined
  readonly authoritySource: AuthoritySource
  /** Of agents that are programs, those that are held in one. */
  readonly boxes?: ReadonlyMap<Bound, AgentSandbox> | undefined
  /** What is called in place of tools, in a test. */
  readonly standIn?: StandIn
  readonly maxInFlight: number
  readonly maxLine: number
  /** After its first failure a child asks for nothing more. */
  readonly isFailFast?: boolean
  readonly report: (fault: Fault) => void
  /** Nothing is drawn on the terminal while a person is asked something there. */
  readonly withoutLiveLines?: <T>(ask: () => Promise<T>) => Promise<T>
  readonly emitter: RunEmitter | undefined
  /** Of a request to a model, where there are prices. */
  readonly costOf?: Session['costOf']
  /** Of what programs in the places of agents use, where money is limited. */
  readonly prices?: Prices | undefined
  /** For a parent that asked for telemetry: what no child of ours says itself. */
  readonly emitToParent?: ((json: string) => void) | undefined
  readonly isRecorded: boolean
  /** What is not shown; undefined: nothing is secret. */
  readonly secrets?: Secrets | undefined
  /** The place of the whole graph among the answers that are kept; undefined: it is the outermost. */
  readonly keptPlace?: string | undefined
  /** Options that give a nested plumb a record of its own. */
  readonly nestedRecord: (place: string) => readonly string[]
  /** By the places of agents: what they answered in the run that is resumed. */
  readonly resumed: ReadonlyMap<string, RecordedAnswers> | undefined
  /** Where agents and folds have what they remember, and tell it. */
  readonly state?: StateFile | undefined
  /** The messages of a run by workers that our inputs are. */
  readonly deliveries?: Deliveries | undefined
}

/** What the agent at this place is to remember when it starts. */
export const memoryAt = (place: string, { state, resumed }: SpawnSettings): readonly unknown[] =>
  state?.memoryOf(place) ?? resumed?.get(place)?.memory ?? []

/** Where a nested plumb is asked to let go of what waits in its batches: it has no port of its own there. */
export const LET_GO_FD = 6

/** What a message between us and our children may need besides its own bytes. */
export const ENVELOPE_BYTES = 256

/** From an agent of the graph to what starts it. */
export interface AgentStart {
  readonly plan: AgentPlan
  /** In place of plumb-agent. */
  readonly program: readonly string[] | undefined
  readonly fds: Readonly<Record<number, 'in' | 'out'>>
  readonly settings: SpawnSettings
  /** What its MCP servers offer, where it has any. */
  readonly offers: ServerOffers | undefined
}

/** Variables that the spec names. */
export const envNames = ({ config }: AgentPlan): readonly string[] => (config.env as readonly string[] | undefined) ?? []

/** It may call tools, so it needs a dispatcher. */
export const hasTools = (plan: AgentPlan): boolean => isFilled(plan.config.tools) || hasServers(plan)

export const hasServers = ({ config: { mcp } }: AgentPlan): boolean => isFilled(mcp)

const isFilled = (list: unknown): boolean => Array.isArray(list) && list.length > 0
