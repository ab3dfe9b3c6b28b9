// tool { process: … }: a child process for each call, one line in, exactly one line out.

import type { Readable } from 'node:stream'
import { agentOf, type Bound, type ToolBody, type ToolPlan } from '@plumb/lang'
import { type Budget, currentBudget, loadPrices, payUsage, type ReportedUsage } from '@plumb/ledger'
import { addMissingAccess, GRACE_MS, readSandbox, type SandboxAtStart } from '@plumb/sandbox'
import { agentLimit, type Fault, fault, type Result, readUsage, type SourceFiles, succeed, totalTokens } from '@plumb/wire'
import type { AgentUsage, Call, CallRecord, Session } from '../../call/call.js'
import { type InlineStep, MOVES } from '../../combine/inline-step.js'
import type { Run } from '../../combine/run.js'
import type { JsonText } from '../../json-text.js'
import { compileLinearGraph } from '../inline/linear-graph.js'
import { textsForChild } from '../program-files/detect-changes.js'
import { readAgentSandbox } from './agent-sandbox.js'
import { answerChild } from './answer-child.js'
import { askChild } from './ask-child.js'
import { deepenNesting, deliveryEnv } from './nesting-depth.js'
import { countTokens, readTelemetry } from './read-telemetry.js'
import { renewRegularly, startProcess } from './start-process.js'
import { traceInnerCalls } from './trace-inner-calls.js'

/** `process` is a binding, or the word of a morphism. */
export const processTool = (
  { name }: ToolPlan,
  { config, process }: Extract<ToolBody, { readonly kind: 'tool' }>,
  docroot: string,
): Result<Run> => {
  const sandbox = readSandbox(config.sandbox, { who: `tool '${name}'`, docroot, effects: config.effects, isDefault: false })
  if (!sandbox.ok) return sandbox
  const agent = process?.kind === 'bound' && process.bound.binding.impl.kind === 'agent' ? agentOf(process.bound) : undefined
  const own = agent ? readAgentSandbox(agent, docroot) : succeed(undefined)
  if (!own.ok) return own
  if (process?.kind === 'bound') {
    return succeed(processRun(process.bound, { sandbox: sandbox.value, filesFor: ({ files }) => files }))
  }
  const step = MOVES[process?.word ?? 'id']
  return succeed(async (input) => step(input))
}

export interface ProcessOptions {
  readonly sandbox: SandboxAtStart | undefined
  /** The texts of the program that contains the process. */
  readonly filesFor: (session: Session) => SourceFiles
}

export const processRun = (bound: Bound, options: ProcessOptions): Run => {
  let step: InlineStep | 'none' | undefined
  return async (input, call) => {
    step ??= compileLinearGraph(bound) ?? 'none'
    return step === 'none' ? runProcess(bound, input, call, options) : step(input)
  }
}

const runProcess = async (bound: Bound, input: JsonText, call: Call, options: ProcessOptions): Promise<Result<JsonText>> => {
  const { filesFor } = options
  const { session, record, signal } = call
  const depth = deepenNesting()
  if (!depth.ok) return depth
  const sandbox = options.sandbox?.(session.servers) ?? succeed(undefined)
  if (!sandbox.ok) return sandbox
  const started = await startProcess({
    bound,
    files: await textsForChild(filesFor(session), session),
    session,
    env: { ...depth.value, ...deliveryEnv(call), PLUMB_PARENT: call.id },
    sandbox: sandbox.value,
  })
  if (!started.ok) return started
  const { child, renewal } = started.value
  // Our own programs take from the budget themselves. A foreign program counts as one model call, plus the usage that it reports.
  const budget = renewal ? undefined : currentBudget()
  let overrun = await budget?.ask(signal)
  if (overrun) {
    await child.terminate(0)
    return { ok: false, error: overrun }
  }
  const pay = budget && (await openPayments(budget, bound))
  let isCounted = budget !== undefined
  const spend = (usage: ReportedUsage): void => {
    const spent = isCounted ? undefined : budget?.take()
    isCounted = false
    budget?.use(totalTokens(usage))
    const unpaid = pay?.(usage)
    overrun ??= spent ?? unpaid
    if (spent || unpaid) void child.terminate(GRACE_MS)
  }
  const used = (said: AgentUsage): void => {
    // Only our own programs are believed that it cost nothing.
    if (renewal && said.kept !== undefined) return
    const { usage: reported } = readUsage(said)
    session.onUsage?.(reported)
    addUsage(record, said, session.costOf)
    if (budget) spend(reported)
  }
  const called = traceInnerCalls(call, Number(depth.value.PLUMB_DEPTH), bound.name)
  const telemetry = readTelemetry(child.fds.get(TELEMETRY) as Readable, { used, called })
  answerChild(child, call)
  const stopRenewing = renewal && renewRegularly(renewal)
  const warn = renewal && ((warning: Fault) => session.servers.warn(warning))
  const result = await askChild({ name: bound.name, child, input, signal, warn })
  stopRenewing?.()
  // An aborted child may have left telemetry open.
  if (overrun) return { ok: false, error: overrun }
  if (!signal.aborted) await telemetry
  return addMissingAccess(result, child)
}

/** Undefined: money is not limited. What it returns says that more was spent than there was. */
const openPayments = async (budget: Budget, bound: Bound): Promise<((usage: ReportedUsage) => Fault | undefined) | undefined> => {
  const agent = bound.binding.impl.kind === 'agent' ? agentOf(bound) : undefined
  const limit = agent && agentLimit(agent.specPath, bound.name, agent.config.max_cost)
  if (budget.limits.cost === null && !limit) return undefined
  const prices = await loadPrices(budget.limits.prices)
  return (usage) =>
    payUsage({ budget, prices, limit }, usage) === 'over' ? fault('budget_spent', 'the budget of this run is spent') : undefined
}

/** The cost is what the child reports, or computed from prices. */
const addUsage = (record: CallRecord, reported: AgentUsage, costOf: Session['costOf']): void => {
  const tokens = countTokens(reported)
  if (tokens > 0) record.tokens = (record.tokens ?? 0) + tokens
  const cost = reported.cost ?? costOf?.(reported)
  if (typeof cost === 'number' && Number.isFinite(cost) && cost >= 0) record.cost = (record.cost ?? 0) + cost
}

const TELEMETRY = 3
