// Starts a child by its plan.

import { asksPerson, type Bound, checkedAgent, type Graph, type GraphNode, isRemote, writeAgent } from '@plumb/lang'
import { currentBudget } from '@plumb/ledger'
import {
  childEnv,
  DELIVERY_FD,
  type DeliveryLog,
  type Fault,
  fault,
  type LineChild,
  openDeliveryLog,
  type Result,
  spawnChild,
  spawnPlumb,
  succeed,
  toDollars,
} from '@plumb/wire'
import { placesOf } from '../event/wires.js'
import { type Restored, restoreMemory } from '../record/resume/restore-memory.js'
import { memoryAt, type SpawnSettings } from './agent-start.js'
import { plumbsToLetGo } from './batches.js'
import type { ChildKind } from './options.js'
import type { UnreadableLines } from './output.js'
import { agentPlan, type ChildPlace, type ChildPlan, plumbPlan } from './plan.js'
import { type BudgetChannel, spawnVia } from './spawn-via.js'
import type { ToolService } from './tool-service.js'

export interface Spawned {
  readonly child: LineChild
  readonly kind: ChildKind
  readonly isEnveloped: boolean
  /** It uses the budget of the run itself. */
  readonly isCounting: boolean
  /** It requests each call from us. */
  readonly channel?: BudgetChannel | undefined
  /** Of its output, where it comes from elsewhere. */
  readonly unreadable?: UnreadableLines | undefined
  /** Control messages that it was sent already. */
  readonly controls: number
  /** Messages that it was sent before, and is done with. */
  readonly before?: number | undefined
  /** Takes the reply to these, before any process. */
  readonly takeReply?: Restored['takeReply'] | undefined
  /** Gives it the deliveries of its messages, in a run by workers. */
  readonly deliveries?: DeliveryLog | undefined
}

export type StartHere = (agent: { readonly name: string; readonly bound: Bound; readonly place: string }) => Spawned

export interface SpawnAllOptions {
  /** A parent may ask to flush batches. */
  readonly isNested: boolean
  readonly settings: SpawnSettings
  /** For agents that have tools. */
  readonly tools: ReadonlyMap<GraphNode, ToolService>
  /** Starts an agent that needs no process: whose model is a person, or that is elsewhere. Undefined: there is none. */
  readonly startHere?: StartHere | undefined
  /** The run cannot continue. */
  readonly fail: (fault: Fault) => void
}

/** Starts all children of a graph. If one cannot be started, the others are ended. */
export const spawnAll = (
  graph: Graph,
  { settings, tools, startHere, isNested, fail }: SpawnAllOptions,
): Result<Map<GraphNode, Spawned>> => {
  const spawned = new Map<GraphNode, Spawned>()
  const letsGo = plumbsToLetGo(graph, isNested)
  const conversing = new Set(graph.edges.filter(({ from }) => from.work.kind === 'conversation').map(({ to }) => to))
  for (const [node, place] of placesOf(graph)) {
    if (node.work.kind !== 'agent' && node.work.kind !== 'plumb') continue
    const { kind, bound } = node.work
    const service = tools.get(node)
    const isAskedToLetGo = letsGo.has(node)
    const isConversing = conversing.has(node)
    const at = { node, place, settings, isAskedToLetGo, isConversing, offers: service?.offers, checkedTools: service?.checkedTools }
    const isHere = kind === 'agent' && (isRemote(bound) || asksPerson(bound, settings.options.agents.provider))
    if (startHere && isHere) {
      spawned.set(node, startHere({ name: node.name, bound, place }))
      continue
    }
    const child = kind === 'agent' ? spawnAgent(at, bound, (words) => fail(notTakenUp(node, words))) : start(plumbPlan(at, bound), at)
    if (!child.ok) {
      for (const { child: started } of spawned.values()) started.kill('SIGKILL')
      return { ok: false, error: { ...child.error, process: node.name } }
    }
    spawned.set(node, child.value)
  }
  return succeed(spawned)
}

const notTakenUp = ({ name }: GraphNode, words: string): Fault =>
  fault('child_failed', `'${name}' cannot be taken up: ${words}`, { process: name })

/** `fail`: the run cannot continue, since its memory cannot be restored. */
const spawnAgent = (at: ChildPlace, bound: Bound, fail: (words: string) => void): Result<Spawned> => {
  const started = start(agentPlan(at, bound), at)
  const memory = memoryAt(at.place, at.settings)
  if (!started.ok || memory.length === 0) return started
  return succeed({ ...started.value, ...restoreMemory(started.value.child, memory, fail), controls: memory.length })
}

const spawnProgram = (
  { command, env: names, fds, box, limit }: ChildPlan & { kind: 'program' },
  offers: ChildPlace['offers'],
): Result<LineChild> => {
  const left = currentBudget()?.left(limit) ?? null
  const env = {
    ...childEnv('foreign', names),
    ...offers?.env,
    ...(left === null ? {} : { PLUMB_BUDGET: String(toDollars(Math.max(0, left))) }),
  }
  if (!box) return spawnChild({ command, env, fds, isForeign: true })
  const boxed = box(command, env)
  if (!boxed.ok) return boxed
  const { enclosure, command: inner } = boxed.value
  const { command: before, given = {}, shared = {}, listener, env: theirs, close } = enclosure
  const child = spawnChild({
    command: [...before, ...inner],
    env: theirs,
    fds,
    given,
    shared,
    ...(listener ? { listener } : {}),
    isForeign: true,
  })
  close()
  if (child.ok) return succeed({ ...enclosure.follow(child.value), findMissingAccess: enclosure.findMissingAccess })
  enclosure.settle()
  return child
}

const start = (plan: ChildPlan, place: ChildPlace): Result<Spawned> => {
  const { settings, offers, checkedTools = [] } = place
  const as = (child: Result<LineChild>, kind: ChildKind, isCounting: boolean, isEnveloped = false): Result<Spawned> =>
    child.ok ? succeed({ child: child.value, kind, isEnveloped, isCounting, controls: 0 }) : child
  if (plan.kind === 'program') {
    return as(spawnProgram(plan, offers), 'program', false)
  }
  if (plan.kind === 'via') {
    const elsewhere = spawnVia(plan.via, plan.start)
    if (!elsewhere.ok) return elsewhere
    const kind = plan.start.program ? 'program' : 'agent'
    return succeed({ ...elsewhere.value, kind, isEnveloped: false, isCounting: false, controls: 0 })
  }
  const { program, args, fds, entry, agent, isEnveloped, variables } = plan
  const { files, authoritySource } = settings
  const grant = agent ? authoritySource.authorityFor(agent) : () => authoritySource.authority
  const env = { ...childEnv('ours', variables), ...offers?.env }
  const deliveries = settings.deliveries && openDeliveryLog()
  const own = spawnPlumb({
    program,
    args: [...args, ...(deliveries ? ['--delivery-fd', String(DELIVERY_FD)] : [])],
    ...(deliveries ? { shared: { [DELIVERY_FD]: deliveries.fd } } : {}),
    files,
    entry,
    fds,
    authority: grant?.(),
    env,
    ...(agent ? { agent: writeAgent(checkedAgent(agent, checkedTools)) } : {}),
  })
  if (!own.ok) {
    deliveries?.close()
    return own
  }
  if (deliveries) void own.value.child.exited.then(deliveries.close)
  if (grant) authoritySource.keepRenewed(own.value.renew, grant)
  const child = as(succeed(own.value.child), agent ? 'agent' : 'plumb', true, isEnveloped)
  return child.ok ? succeed({ ...child.value, deliveries }) : child
}
