// The tools of this agent, ready to be called: declared, permitted, approved, and run by a dispatcher. Loaded for an agent with tools alone.

import { type CheckedTool, resolve, toToolSchema } from '@plumb/lang'
import { consentIn } from '@plumb/ledger'
import { fitOutput, fitToolInput } from '@plumb/tool/call/fit'
import { type Fault, fail, parseJson, succeed, type ToolCaller } from '@plumb/wire'
import type { PreparedAgent } from '../config/prepare.js'
import type { Outlets } from '../io/outlets.js'
import type { AgentOptions } from '../options.js'
import { APPROVAL_TIMEOUT_MS, type Approvals, type AskPerson } from './approvals.js'
import type { CallableTool } from './callable.js'
import { ChildDispatcher } from './child-dispatcher.js'
import type { Composing } from './composing.js'
import type { AgentTools } from './no-tools.js'
import { openCaller } from './open-caller.js'
import { openToolPolicy } from './policy.js'
import type { Servers } from './server-catalogue.js'
import { startExternalDispatcher, startPlumbTool } from './start-runner.js'
import { openTools } from './tools.js'

export interface AgentToolsParts {
  readonly prepared: PreparedAgent
  readonly options: AgentOptions
  readonly servers: Servers
  readonly outlets: Outlets
  readonly approvals: Approvals
  readonly report: (fault: Fault) => void
  readonly writeStderr: (line: string) => void
  readonly isBacklogged: () => boolean
  readonly composing: Composing | undefined
  readonly warn: (warning: Fault) => void
}

export const openAgentTools = (parts: AgentToolsParts): AgentTools => {
  const { prepared, options, servers, outlets, approvals, report, isBacklogged } = parts
  const { config, fds, authority } = prepared
  const own = (options.tools.command === undefined ? servers.own : undefined) ?? ownDispatcher(parts)
  const { writeTelemetry } = outlets
  if (writeTelemetry) for (const each of [own, servers.own]) each?.forwardTelemetry((event) => writeTelemetry(JSON.stringify(event)))
  const opened = openCaller({ fds, outlets, own, report, isBacklogged })
  const tools = openTools({
    declared: declareTools(config.tools),
    ofServers: servers.offered,
    gate: openToolPolicy(() => authority.current()),
    approvals,
    caller: withServers(opened.caller, servers, new Set(config.tools.map(({ name }) => name))),
    areParallel: config.parallelToolCalls,
    composing: parts.composing,
    warn: parts.warn,
  })
  // ELIZA answers at once, and a batch after hours.
  const isWaitedFor = config.providerName !== 'eliza' && config.lane !== 'batch'
  const isEarly = opened.caller === own && options.tools.command === undefined && isWaitedFor
  return {
    offers: (walk) => tools.offers(walk),
    answer: (calls, signal, emit, of) => tools.answer(calls, signal, emit, of),
    ...(isEarly ? { prepare: () => own.prepare() } : {}),
    answers: opened.answers,
    onRequestsClosed: opened.onRequestsClosed,
    ...(options.tools.asksParent ? { askPerson: askBy(opened.caller) } : {}),
    close: async () => {
      await Promise.all([opened.close(), servers.own?.close()])
    },
  }
}

const askBy =
  (caller: ToolCaller): AskPerson =>
  async ({ id, tool, input, wrong }, signal) => {
    const request = { id: `ask ${id}`, name: tool, input, asks: true, ...(wrong === undefined ? {} : { wrong }) }
    const { content, is_error } = await caller.call(request, APPROVAL_TIMEOUT_MS, signal)
    return is_error ? undefined : consentIn(content)
  }

/** The dispatcher with the connections to MCP servers runs their tools. */
const withServers = (others: ToolCaller, { own, offered }: Servers, declared: ReadonlySet<string>): ToolCaller => {
  if (!own) return others
  const isOfServer = (name: string): boolean => !declared.has(name) && offered().has(name)
  return { call: (request, timeoutMs, signal) => (isOfServer(request.name) ? own : others).call(request, timeoutMs, signal) }
}

const ownDispatcher = ({ prepared, options, report, writeStderr }: AgentToolsParts): ChildDispatcher => {
  const toolCommand = options.tools.command
  let stopRenewing = () => {}
  return new ChildDispatcher({
    program: toolCommand ?? 'plumb-tool',
    start: () => {
      if (toolCommand !== undefined) return startExternalDispatcher(prepared, toolCommand)
      const started = startPlumbTool(prepared, options)
      if (!started.ok) return started
      stopRenewing = prepared.authority.keepRenewed(started.value.renew)
      return succeed(started.value.child)
    },
    report,
    writeStderr,
    onClose: () => stopRenewing(),
  })
}

/** The tools that a spec declares for its agent, in the form for a model. */
export const declareTools = (tools: readonly CheckedTool[]): ReadonlyMap<string, CallableTool> =>
  new Map(tools.map((tool) => [tool.name, declare(tool)]))

const declare = (tool: CheckedTool): CallableTool => {
  const { name, effects, needsApproval, description, input, parts, timeoutMs } = tool
  const { schema, isWrapped } = toToolSchema(input)
  return {
    name,
    effects,
    needsApproval,
    parts,
    offer: { name, description, input_schema: schema },
    fit: (json) => fitToolInput(json, input),
    fitResult: (json) => fitResult(json, tool),
    signature: tool,
    isWrapped,
    isOfServer: false,
    timeoutMs,
  }
}

// A hand-written dispatcher may omit the quotes of a text.
const fitResult = (json: string, { name, output }: CheckedTool): ReturnType<typeof fitOutput> => {
  const bytes = Buffer.from(json)
  if (resolve(output).kind === 'string' && !parseJson(bytes, 0, bytes.length).ok) return succeed({ json, repairs: [] })
  const fit = fitOutput(json, output)
  return fit.ok ? fit : fail('output_type_mismatch', `what '${name}' was answered with: ${fit.error.detail}`)
}
