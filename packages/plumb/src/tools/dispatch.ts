// Who answers the tool calls of the agents of a graph: plumb-tool's dispatcher in this process, or another program. A run without tools loads none of it.

import { agentOf, agentTools, type Bound, type Graph, type GraphNode } from '@plumb/lang'
import type { AgentUsage, CallEnvelope, Dispatcher, Session } from '@plumb/tool'
import { type Fault, isDebugging, nowMs, openLog, type Reporter, scrub } from '@plumb/wire'
import { hasServers, hasTools, type SpawnSettings } from '../child/agent-start.js'
import { ServerOffers } from '../child/server-offers.js'
import { placesOf } from '../event/wires.js'
import { findDocroot } from './docroot.js'
import { openToolCommand } from './tool-command.js'
import { ToolService } from './tool-service.js'

type AgentNode = GraphNode & { readonly work: { readonly kind: 'agent'; readonly bound: Bound } }

const served = (graph: Graph): AgentNode[] =>
  graph.nodes.filter((node): node is AgentNode => node.work.kind === 'agent' && hasTools(agentOf(node.work.bound)))

export const servesTools = (graph: Graph): boolean => served(graph).length > 0

/** One for each agent that has tools. Undefined: all that is wrong was reported, and nothing runs. */
export const openTools = async (
  graph: Graph,
  settings: SpawnSettings,
  reporter: Reporter,
): Promise<ReadonlyMap<GraphNode, ToolService> | undefined> => {
  const services = new Map<GraphNode, ToolService>()
  const places = placesOf(graph)
  // At once: servers take their time to start.
  const opened = await Promise.all(
    served(graph).map(async (node) => ({ node, opened: await openService(node, places.get(node) ?? node.name, settings, reporter) })),
  )
  const faults = opened.flatMap(({ node, opened: { faults = [] } }) => faults.map((fault) => ({ ...fault, process: node.name })))
  for (const { node, opened: one } of opened) if (one.service) services.set(node, one.service)
  if (faults.length === 0) return services
  for (const fault of faults) reporter.report(fault)
  for (const service of services.values()) void service.close()
  return undefined
}

const openService = async ({ name, work: { bound } }: AgentNode, place: string, settings: SpawnSettings, reporter: Reporter) => {
  const { checkedTool, serveLines } = await import('@plumb/tool')
  const { toolProgram, maxLine } = settings
  const report = (fault: Fault) => settings.report({ ...fault, port: fault.port ?? 'tool_req', process: name })
  const opened = await openFor(bound, place, settings, reporter, report)
  if (opened.faults) return { faults: opened.faults }
  const other = toolProgram === undefined ? undefined : openToolCommand({ program: toolProgram, maxLine, reporter, report })
  if (other?.faults) {
    await opened.dispatcher.close()
    return { faults: other.faults }
  }
  const { offers } = opened
  const dispatcher = other ? besides(other.dispatcher, opened) : opened.dispatcher
  return { service: new ToolService({ dispatcher, checkedTools: agentTools(bound).map(checkedTool), serveLines, maxLine, report, offers }) }
}

/** Another program stands in for the tools that the spec declares; those of servers are where their connections are. */
const besides = (other: Dispatcher, { dispatcher, offers }: OpenedDispatcher): Dispatcher => ({
  answer: (request) => (offers?.now.some(({ name }) => name === request.name) ? dispatcher : other).answer(request),
  close: async () => {
    await Promise.all([other.close(), dispatcher.close()])
  },
})

interface OpenedDispatcher {
  readonly dispatcher: Dispatcher
  readonly offers: ServerOffers | undefined
  readonly faults?: undefined
}

/** Or why there is none. */
export type Opened =
  | { readonly dispatcher: Dispatcher; readonly faults?: undefined }
  | { readonly dispatcher?: undefined; readonly faults: readonly Fault[] }

const openFor = async (
  bound: Bound,
  process: string,
  settings: SpawnSettings,
  reporter: Reporter,
  report: (fault: Fault) => void,
): Promise<OpenedDispatcher | { readonly faults: readonly Fault[] }> => {
  const tool = await import('@plumb/tool')
  const plan = agentOf(bound)
  const docroot = findDocroot(settings.docroot)
  const authority = settings.giver.grantTo(plan)
  const plans = agentTools(bound)
  const { registry, faults } = tool.openRegistry(settings.toolProgram === undefined ? plans : [], settings.docroot)
  if (!docroot.ok || !authority || faults.length > 0) return { faults: [...(docroot.ok ? [] : [docroot.error]), ...faults] }

  // plumb-agent has asked before it sends a request, for what the tool calls in its turn too.
  const isAsked = plan.config.command === undefined && settings.agentProgram === undefined
  const log = isDebugging() ? await openLog('plumb', (line) => reporter.write(line)) : undefined
  const { files, handedOn, agentProgram, emitter, tellParent, costOf, withoutLiveLines = (work) => work() } = settings
  const ask = tool.approveOnTerminal()
  const trace = (call: CallEnvelope) => {
    log?.('tool_call', { ...call })
    emitter?.emit({ kind: 'call', process, call })
    if (tellParent) for (const told of tool.callTelemetry(call, plan.name)) tellParent(scrub(JSON.stringify(told)))
  }
  const used = (telemetry: AgentUsage): void => {
    emitter?.emit({ kind: 'telemetry', process, telemetry })
    tellParent?.(scrub(JSON.stringify(telemetry)))
  }
  const session: Session = {
    docroot: docroot.value,
    files,
    authority,
    approve: isAsked ? async () => true : (request, signal) => withoutLiveLines(() => ask(request, signal)),
    onCall: log || emitter || tellParent ? trace : undefined,
    costOf,
    onUsage: emitter || tellParent ? used : undefined,
    agentOptions: handedOn,
    agentProgram,
    caller: callerOf(plan.config, settings),
    servers: new tool.ServerPool({ cwd: docroot.value, note: (warning) => reporter.warn({ ...warning, process: plan.name }) }),
    nowMs,
  }
  await tool.watchProgram(session)
  const opened = await tool.openAgentServers({ plan, declared: plans.map(({ name }) => name), session })
  const file = opened.servers && hasServers(plan) ? tool.openToolsFile(opened.servers.offers()) : undefined
  if (opened.faults || file?.ok === false) {
    await session.servers.close()
    return { faults: opened.faults ?? (file?.ok === false ? [file.error] : []) }
  }
  const offers = opened.servers && file ? new ServerOffers(opened.servers, file.value, report) : undefined
  return { dispatcher: tool.openDispatcher({ registry, servers: opened.servers, session }), offers }
}

const callerOf = (config: Readonly<Record<string, unknown>>, settings: SpawnSettings): Session['caller'] => {
  const provider = settings.provider ?? config.provider ?? process.env.PLUMB_PROVIDER
  const model = settings.model ?? config.model ?? process.env.PLUMB_MODEL
  if (typeof provider !== 'string' || typeof model !== 'string') return undefined
  return { provider, model, ...(typeof config.endpoint === 'string' ? { endpoint: config.endpoint } : {}) }
}
