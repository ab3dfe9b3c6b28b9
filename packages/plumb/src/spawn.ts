// From an agent or a plumb in the graph to a running process: which program, where, with which arguments and descriptors.

import { dirname, isAbsolute, join } from 'node:path'
import { type AgentPlan, agentOf, type Bound, type GraphNode } from '@plumb/lang'
import { type Child, childEnv, fail, type Result, spawnChild, spawnOwn } from '@plumb/wire'
import { type AgentStart, ENVELOPE_BYTES, envNames, hasTools, type SpawnSettings } from './agent-start.js'
import type { ChildKind } from './child-ledger.js'
import { spawnVia } from './spawn-via.js'

export interface Spawned {
  readonly child: Child
  readonly kind: ChildKind
  readonly isEnveloped: boolean
}

export const spawnAgent = (node: GraphNode, bound: Bound, settings: SpawnSettings): Result<Spawned> => {
  const plan = agentOf(bound)
  const via = plan.config.via as readonly string[] | undefined
  const program = replacement(plan, via !== undefined, settings)
  // plumb-agent refuses it itself; another program would run without what the spec asks for.
  if (program && plan.config.mcp !== undefined)
    return fail('config_invalid', `'mcp' is not served by this version of plumb; remove it from agent '${bound.name}'`)
  const start = { plan, program, fds: portFds(node, plan), settings }
  const child = via ? spawnVia(besideSpec(via, plan.specPath), start) : spawnHere(start)
  return child.ok ? { ok: true, value: { child: child.value, kind: program ? 'program' : 'agent', isEnveloped: false } } : child
}

/** A nested plumb is this program again, on another binding of the same spec. */
export const spawnPlumb = (node: GraphNode, bound: Bound, settings: SpawnSettings): Result<Spawned> => {
  const isEnveloped = node.inputs.length !== 1 || node.outputs.length !== 1
  const { files, maxInFlight, agentProgram, toolProgram, giver } = settings
  const args = ['run', '--binding', bound.name, '--telemetry', '--seq', isEnveloped ? '--mux' : '--no-envelopes', ...localArgs(settings)]
  args.push('--max-in-flight', String(maxInFlight))
  if (agentProgram !== undefined) args.push('--agent-command', agentProgram)
  if (toolProgram !== undefined) args.push('--tool-command', toolProgram)
  const entry = bound.scope.module.path
  const own = spawnOwn({ program: 'plumb', args, files, entry, fds: { 3: 'out' }, authority: giver.authority })
  if (!own.ok) return own
  giver.keepRenewed(own.value.renew, () => giver.authority)
  return { ok: true, value: { child: own.value.child, kind: 'plumb', isEnveloped } }
}

const spawnHere = ({ plan, program, fds, settings }: AgentStart): Result<Child> => {
  if (program) return spawnChild({ command: program, env: childEnv('foreign', envNames(plan)), fds, isForeign: true })
  const { files, giver } = settings
  const args = ['--agent', plan.bound.name, '--telemetry', '--no-envelopes', '--fds', Object.keys(fds).join(','), ...localArgs(settings)]
  const grant = giver.grantTo(plan)
  const own = spawnOwn({ program: 'plumb-agent', args, files, entry: plan.specPath, fds, authority: grant?.() })
  if (!own.ok) return own
  if (grant) giver.keepRenewed(own.value.renew, grant)
  return { ok: true, value: own.value.child }
}

const localArgs = ({ handedOn, docroot, maxLine }: SpawnSettings): string[] => [
  ...['--max-line', String(maxLine + ENVELOPE_BYTES)],
  ...(docroot === undefined ? [] : ['--docroot', docroot]),
  ...handedOn,
]

// Elsewhere, a path is one of that place.
const replacement = (
  { config, specPath }: AgentPlan,
  isElsewhere: boolean,
  { agentProgram }: SpawnSettings,
): readonly string[] | undefined => {
  const own = config.command as readonly string[] | undefined
  if (own) return isElsewhere ? own : besideSpec(own, specPath)
  return agentProgram === undefined ? undefined : [agentProgram]
}

// Telemetry always; tools where they are declared, control where it is wired.
const portFds = (node: GraphNode, plan: AgentPlan): AgentStart['fds'] => ({
  3: 'out',
  ...(hasTools(plan) ? { 4: 'out', 5: 'in' } : {}),
  ...(node.inputs.some((p) => p.name === 'ctrl_in') ? { 6: 'in', 7: 'out' } : {}),
})

// A program with a slash is relative to the spec; the working directory is the caller's.
const besideSpec = ([program = '', ...args]: readonly string[], specPath: string): string[] => {
  const path = program.includes('/') && !isAbsolute(program) ? join(dirname(specPath), program) : program
  return [program.includes('/') && !path.includes('/') ? `./${path}` : path, ...args]
}
