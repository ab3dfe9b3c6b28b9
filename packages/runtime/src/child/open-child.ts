// The receiver of a node that is a process of its own, with everything that depends on it.

import { type AgentPlan, agentOf, compileCheck, type GraphNode } from '@plumb/lang'
import { type Budget, currentBudget } from '@plumb/ledger'
import { type AgentLimit, type Fault, isTerminal, type Reporter, type TelemetryLines } from '@plumb/wire'
import type { RunEmitter } from '../event/emitter.js'
import type { Cycle } from '../graph/cycle.js'
import type { Origin } from '../graph/origin.js'
import type { RunContext } from '../graph/run-context.js'
import { Replay } from '../record/resume/replay.js'
import type { SpawnSettings } from './agent-start.js'
import { ChildAllowance } from './allowance.js'
import { ChildProcess } from './child.js'
import { ChildMonitor } from './child-monitor.js'
import type { AnswerForm } from './output.js'
import { agentLimitOf } from './plan.js'
import { SILENCE_MS } from './silence.js'
import type { Spawned } from './spawn.js'
import type { BudgetChannel } from './spawn-via.js'
import type { ToolService } from './tool-service.js'

export interface OpenChildOptions {
  readonly node: GraphNode
  readonly feeds: readonly number[]
  readonly place: string
  readonly spawned: Spawned
  readonly settings: SpawnSettings
  readonly tools: ToolService | undefined
  readonly emitter: RunEmitter | undefined
  /** Receives the telemetry of our children, for a parent. */
  readonly parent: TelemetryLines | undefined
  readonly lost: (origin: Origin) => void
  readonly needsOrigins: boolean
  /** A barrier after it joins its outputs. */
  readonly isOnBranch: boolean
  readonly isHandled: boolean
  /** The run is told of each input that failed. */
  readonly isNested: boolean
  readonly cycle: Cycle | undefined
}

export const openChild = (context: RunContext, options: OpenChildOptions): ChildProcess => {
  const { node, feeds, place, spawned, settings, tools, emitter, parent, lost, needsOrigins, isOnBranch, isHandled, isNested, cycle } =
    options
  const { child, kind, isEnveloped, isCounting, channel, controls, before, takeReply, deliveries, unreadable } = spawned
  const plan = planOf(node)
  const config = plan?.config ?? {}
  const form = kind === 'program' ? ((config.answers as AnswerForm | undefined) ?? 'each') : 'numbered'
  const answersEach = kind === 'agent' || form === 'each'
  const limit = plan && agentLimitOf(plan)
  const budget = isCounting ? undefined : limitingBudget(limit, channel)
  const warn = (warning: Fault) => context.reporter.warn({ ...warning, process: node.name })
  const allowance =
    budget && new ChildAllowance({ budget, channel, limit, prices: settings.prices, warn, overrun: () => process.overrun.begin() })
  // What answers some is asked again: no answer of it belongs to a known input.
  const answered = kind === 'plumb' || form === 'some' ? undefined : settings.resumed?.get(place)?.ofBytes
  const replay = answered && new Replay({ answers: answered, ...replayingFor(() => process, context, options) })
  const secrets = settings.secrets?.isIn(place) ? settings.secrets : undefined
  const state = kind === 'plumb' ? undefined : settings.state
  const isObserved = emitter || parent || budget || replay || state
  const process: ChildProcess = new ChildProcess(feeds, context, {
    name: node.name,
    inputs: node.inputs,
    outputs: node.outputs.map(({ name, type }) => ({ name, stage: compileCheck(type ?? { kind: 'json' }) })),
    isEnveloped,
    kind,
    child,
    unreadable,
    isHidden: secrets !== undefined,
    maxLine: settings.options.lines.maxLine,
    lost,
    isOneByOne: isHandled || isNested,
    isForParent: isNested && !isHandled,
    form,
    // The messages that wait for its answers in a barrier are then no more than the barrier holds.
    maxInHand: answersEach && needsOrigins ? Math.ceil(settings.options.run.maxInFlight / (isOnBranch ? 2 : 1)) : undefined,
    cycle,
    tools,
    walk: tools?.walk,
    observer: isObserved
      ? new ChildMonitor({
          place,
          runs: kind,
          isNumbered: kind === 'program' && form === 'numbered',
          pid: child.pid,
          emitter,
          parent,
          allowance,
          replay,
          secrets,
          state,
          warn,
        })
      : undefined,
    allowance,
    controls,
    before,
    takeReply,
    silent: (name, inputs) => tellSilence(name, inputs, settings, context.reporter),
    deliver: deliveries && (({ seq, seqs }) => deliveries.add(settings.deliveries?.of(seq || Math.max(0, ...seqs)) ?? '')),
  })
  return process
}

const plans = new WeakMap<GraphNode, AgentPlan>()

/** What its spec says of an agent is read once for all requests that a server has it answer. */
const planOf = (node: GraphNode): AgentPlan | undefined => {
  if (node.work.kind !== 'agent') return undefined
  const plan = plans.get(node) ?? agentOf(node.work.bound)
  plans.set(node, plan)
  return plan
}

/** On a terminal, and as telemetry. */
const tellSilence = (name: string, inputs: number, { tellParent, emitter }: SpawnSettings, reporter: Reporter): void => {
  const said = { kind: 'silent', inputs, ms: SILENCE_MS, agent: name, time: new Date().toISOString() } as const
  emitter?.emit({ kind: 'telemetry', process: name, telemetry: said })
  tellParent?.(JSON.stringify(said))
  if (reporter.isJson || !isTerminal(2)) return
  const taken = inputs === 1 ? 'an input' : `${inputs} inputs`
  reporter.write(
    `plumb: '${name}' has taken ${taken} and written nothing for ${SILENCE_MS / 1000} s: if it answers, it may hold its output back; let it flush after each line`,
  )
}

/** Undefined: nothing limits it. */
const limitingBudget = (limit: AgentLimit | undefined, channel: BudgetChannel | undefined): Budget | undefined => {
  const budget = currentBudget()
  const { calls = null, tokens = null, cost = null } = budget?.limits ?? {}
  return channel || limit || [calls, tokens, cost].some((one) => one !== null) ? budget : undefined
}

const replayingFor = (process: () => ChildProcess, { current, report }: RunContext, { node, lost }: OpenChildOptions) => {
  const as = (origin: Origin, act: () => void): void => {
    const before = current.enter(origin)
    act()
    current.leave(before)
  }
  return {
    give: (origin: Origin, line: Buffer) => as(origin, () => process().outlets[0]?.send(line, 0, line.length - 1)),
    refuse: (origin: Origin, fault: Fault) => {
      as(origin, () => report({ ...fault, process: fault.process ?? node.name }))
      lost(origin)
    },
    isFull: () => process().backpressures.some((backpressure) => !backpressure.isOpen()),
  }
}
