// Plans the start of an agent or a plumb of the graph: which program, where, with which arguments and descriptors.

import { dirname, isAbsolute, join } from 'node:path'
import { type AgentPlan, agentOf, type Bound, type CheckedTool, type GraphNode, serverVariables } from '@plumb/lang'
import type { AgentSandbox } from '@plumb/tool/internal'
import { capturesContent } from '@plumb/tool/otlp/environment'
import { type AgentLimit, agentLimit, currentKept, optionWords } from '@plumb/wire'
import { RUN_GROUPS } from '../options/run-options.js'
import { keptPlaceOf } from '../record/kept-answers.js'
import { type AgentStart, envNames, hasTools, LET_GO_FD, memoryAt, type SpawnSettings, wordsForChildren } from './agent-start.js'
import type { ServerOffers } from './server-offers.js'

type Fds = Readonly<Record<number, 'in' | 'out'>>

export type ChildPlan =
  /** One of our executables, on a binding of the file `entry`. */
  | {
      readonly kind: 'own'
      readonly program: 'plumb' | 'plumb-agent'
      readonly args: readonly string[]
      readonly fds: Fds
      readonly entry: string
      /** The agent that the process runs. Undefined: a plumb. */
      readonly agent: AgentPlan | undefined
      readonly isEnveloped: boolean
      /** The environment variables of its MCP servers. */
      readonly variables: readonly string[]
    }
  /** A foreign program; `env` are the variables that it gets in addition to the usual ones. */
  | {
      readonly kind: 'program'
      readonly command: readonly string[]
      readonly env: readonly string[]
      readonly fds: Fds
      /** Its sandbox. */
      readonly box: AgentSandbox | undefined
      readonly limit: AgentLimit | undefined
    }
  /** An agent behind the words of `via`; a foreign program has `program`. */
  | { readonly kind: 'via'; readonly via: readonly string[]; readonly start: AgentStart }

/** Its place, and what its record needs of it. */
export interface ChildPlace {
  readonly node: GraphNode
  readonly place: string
  readonly settings: SpawnSettings
  /** The offers of its MCP servers, if it has any. */
  readonly offers?: ServerOffers | undefined
  /** It may be asked to flush its batches. */
  readonly isAskedToLetGo?: boolean
  /** Its control is the end of a conversation, which has no word for consent. */
  readonly isConversing?: boolean
  /** The tools that its spec declares, if any. */
  readonly checkedTools?: readonly CheckedTool[] | undefined
}

export const agentPlan = ({ node, place, settings, offers, isConversing }: ChildPlace, bound: Bound): ChildPlan => {
  const plan = agentOf(bound)
  const via = plan.config.via as readonly string[] | undefined
  const program = replacement(plan, via !== undefined, settings)
  const isRestored = memoryAt(place, settings).length > 0
  const fds = portFds(node, plan, isRestored || (settings.isReused === true && !program), program !== undefined)
  if (via) return { kind: 'via', via: commandBesideSpec(via, plan.specPath), start: { plan, program, fds, settings, offers } }
  if (program)
    return { kind: 'program', command: program, env: envNames(plan), fds, box: settings.boxes?.get(bound), limit: agentLimitOf(plan) }
  const listed = Object.keys(fds).join(',')
  const args = ['--agent', plan.bound.name, '--numbered', '--no-envelopes', '--fds', listed === '' ? 'none' : listed]
  if (isTelemetryRead(place, settings, plan)) args.push('--telemetry', ...(isTextRead(node, settings) ? [] : ['--brief']))
  if (emitsMemory(plan, settings)) args.push('--tell-memory')
  if (isForwarded(settings) && capturesContent()) args.push('--tell-prompt')
  if (settings.askPerson && hasTools(plan)) args.push('--asks-parent')
  if (isConversing) args.push('--asks-beside-control')
  if (settings.isReused) args.push('--requests')
  args.push(...placeArgs(place, settings))
  const own = { program: 'plumb-agent', args: [...args, ...localArgs(settings)], entry: plan.specPath } as const
  return { kind: 'own', ...own, fds, agent: plan, isEnveloped: false, variables: [] }
}

/** The limit of money of an agent, shared by all its processes. */
export const agentLimitOf = ({ config: { max_cost }, bound, specPath }: AgentPlan): AgentLimit | undefined =>
  agentLimit(specPath, bound.name, max_cost)

/** Makes a plumb-agent report errors in its configuration, and end. */
export const checkPlan = ({ bound, specPath }: AgentPlan, settings: SpawnSettings) => {
  const args = ['--agent', bound.name, '--check', '--fds', 'none', ...onlyKept(), ...localArgs(settings)]
  return { program: 'plumb-agent', args, entry: specPath } as const
}

/** What asks for nothing needs no key. */
const onlyKept = (): string[] => (currentKept()?.isOnly ? ['--cache-only'] : [])

/** A nested plumb is this program again, on another binding of the same spec. */
export const plumbPlan = ({ node, place, settings, isAskedToLetGo }: ChildPlace, bound: Bound): ChildPlan => {
  const isEnveloped = node.inputs.length !== 1
  const { options, nestedRecord } = settings
  const args = ['run', '--binding', bound.name, '--numbered', ...(isEnveloped ? [] : ['--no-envelopes']), ...localArgs(settings)]
  if (isForwarded(settings)) args.push('--telemetry')
  args.push(
    '--max-in-flight',
    String(options.run.maxInFlight),
    ...optionWords(RUN_GROUPS.programs, options.programs),
    ...nestedRecord(place),
    ...placeArgs(place, settings),
  )
  if (isAskedToLetGo) args.push('--let-go-fd', String(LET_GO_FD))
  const fds: Fds = isAskedToLetGo ? { [LET_GO_FD]: 'in' } : {}
  const own = { program: 'plumb', args, fds, entry: bound.scope.module.path } as const
  return { kind: 'own', ...own, agent: undefined, isEnveloped, variables: serverVariables(bound) }
}

/**
 * The memory of an agent elsewhere is recorded, so that the run can be resumed; others keep their requests. With a state file, that of all.
 */
export const emitsMemory = ({ config }: AgentPlan, { isRecorded, state }: SpawnSettings): boolean =>
  config.amnesiac !== true && (state !== undefined || (isRecorded && config.via !== undefined))

/** A record, a display or a parent reads the telemetry of all processes. */
const isForwarded = ({ emitter, emitToParent }: SpawnSettings): boolean => emitter !== undefined || emitToParent !== undefined

/** Whether somebody reads the telemetry of an agent, except a process that is wired to it. */
const isTelemetryRead = (place: string, settings: SpawnSettings, { config }: AgentPlan): boolean => {
  const { state, resumed } = settings
  const isElsewhere = config.via !== undefined
  return isForwarded(settings) || state !== undefined || isElsewhere || resumed?.get(place) !== undefined
}

// Of its answers, in telemetry: a record and a display have it from its outputs.
const isTextRead = ({ outputs }: GraphNode, { emitToParent }: SpawnSettings): boolean =>
  emitToParent !== undefined || outputs.some(({ name }) => name === 'telemetry')

const placeArgs = (place: string, { options }: SpawnSettings): string[] => {
  const whole = keptPlaceOf(place, options.kept.place)
  return whole === undefined ? [] : ['--place', whole, ...onlyKept()]
}

const localArgs = (settings: SpawnSettings): string[] => [
  ...(settings.docroot === undefined ? [] : ['--docroot', settings.docroot]),
  ...wordsForChildren(settings),
]

// For an agent elsewhere, a path is one of that place.
const replacement = ({ config, specPath }: AgentPlan, isElsewhere: boolean, { options }: SpawnSettings): readonly string[] | undefined => {
  const own = config.command as readonly string[] | undefined
  if (own) return isElsewhere ? own : commandBesideSpec(own, specPath)
  return options.programs.agent === undefined ? undefined : [options.programs.agent]
}

// Tools if they are declared, control if it is wired or its memory is to be set. plumb-agents report telemetry and reply to control
// among their answers; a foreign program has descriptors for that.
const portFds = (node: GraphNode, plan: AgentPlan, isControlled: boolean, isForeign: boolean): Fds => ({
  ...(isForeign ? { 3: 'out' as const } : {}),
  ...(hasTools(plan) ? { 4: 'out', 5: 'in' } : {}),
  ...(isControlled || node.inputs.some((p) => p.name === 'ctrl_in') ? { 6: 'in', ...(isForeign ? { 7: 'out' as const } : {}) } : {}),
})

// A program with a slash is relative to the spec; the working directory is the caller's.
const commandBesideSpec = ([program = '', ...args]: readonly string[], specPath: string): string[] => {
  const path = program.includes('/') && !isAbsolute(program) ? join(dirname(specPath), program) : program
  return [program.includes('/') && !path.includes('/') ? `./${path}` : path, ...args]
}
