// Answers the tool calls of the agents of a graph: by plumb-tool's dispatcher in this process,
// or another program. A run without tools loads nothing of it.

import { type AgentPlan, agentOf, agentTools, type Bound, type Graph, type GraphNode, type ToolPlan, toolProtocolOf } from '@plumb/lang'
import type { Dispatcher, Fault, Reporter, Result } from '@plumb/wire'
import { hasServers, hasTools, memoryAt, type SpawnSettings } from '../child/agent-start.js'
import { ServerOffers } from '../child/server-offers.js'
import { ToolService } from '../child/tool-service.js'
import type { ToolWalk } from '../child/tool-walk.js'
import { placesOf } from '../event/wires.js'
import { findDocroot } from '../options/docroot.js'
import { callerOf, openToolSession } from './session.js'
import { openToolCommand } from './tool-command.js'

type AgentNode = GraphNode & { readonly work: { readonly kind: 'agent'; readonly bound: Bound } }

const agentsWithTools = (graph: Graph): AgentNode[] =>
  graph.nodes.filter((node): node is AgentNode => node.work.kind === 'agent' && hasTools(agentOf(node.work.bound)))

export const servesTools = (graph: Graph): boolean => agentsWithTools(graph).length > 0

/** One for each agent that has tools. On failure nothing runs; each fault names its agent. */
export const openToolServices = async (
  graph: Graph,
  settings: SpawnSettings,
  reporter: Reporter,
): Promise<Result<ReadonlyMap<GraphNode, ToolService>, readonly Fault[]>> => {
  const services = new Map<GraphNode, ToolService>()
  const places = placesOf(graph)
  // Concurrently: servers take time to start.
  const opened = await Promise.all(
    agentsWithTools(graph).map(async (node) => ({
      node,
      service: await openToolService(node, places.get(node) ?? node.name, settings, reporter),
    })),
  )
  const faults: Fault[] = []
  for (const { node, service } of opened) {
    if (service.ok) services.set(node, service.value)
    else faults.push(...service.error.map((fault) => ({ ...fault, process: node.name })))
  }
  if (faults.length === 0) return { ok: true, value: services }
  for (const service of services.values()) void service.close()
  return { ok: false, error: faults }
}

const openToolService = async (
  { name, work: { bound } }: AgentNode,
  place: string,
  settings: SpawnSettings,
  reporter: Reporter,
): Promise<Result<ToolService, readonly Fault[]>> => {
  const { checkedTool, serveLines } = await import('@plumb/tool/internal')
  const { programs, lines } = settings.options
  const { maxLine } = lines
  const report = (fault: Fault) => settings.report({ ...fault, port: fault.port ?? 'tool_req', process: name })
  const opened = await openDispatcher(bound, place, settings, reporter, report)
  if (!opened.ok) return opened
  const { offers, plans } = opened.value
  const other = programs.tool === undefined ? undefined : openToolCommand({ program: programs.tool, maxLine, reporter, report })
  if (other?.ok === false) {
    await opened.value.dispatcher.close()
    return { ok: false, error: [other.error] }
  }
  const open = other ? preferServers(other.value, opened.value) : opened.value.dispatcher
  const walk = await walkFor(bound, place, settings)
  const dispatcher = walk?.around(open) ?? open
  const service = new ToolService({
    ...{ dispatcher, serveLines, maxLine, report, offers, walk },
    checkedTools: plans.map(checkedTool),
    askPerson: personOf(settings, place),
  })
  return { ok: true, value: service }
}

/** Our own agents hold to their protocols themselves, and tell their models what is missing. */
const walkFor = async (bound: Bound, place: string, settings: SpawnSettings): Promise<ToolWalk | undefined> => {
  const plan = agentOf(bound)
  const protocol = isOfOthers(plan, settings) ? toolProtocolOf(bound) : undefined
  if (!protocol) return undefined
  const { ToolWalk } = await import('../child/tool-walk.js')
  return new ToolWalk(protocol, plan, memoryAt(place, settings))
}

const isOfOthers = ({ config: { command, via } }: AgentPlan, { options }: SpawnSettings): boolean =>
  command !== undefined || via !== undefined || options.programs.agent !== undefined

const personOf = ({ askPerson, withoutLiveLines = (work) => work() }: SpawnSettings, process: string): SpawnSettings['askPerson'] =>
  askPerson && ((call, signal) => withoutLiveLines(() => askPerson({ ...call, process }, signal)))

/** Another program answers calls of declared tools; those of servers are answered where their connections are. */
const preferServers = (other: Dispatcher, { dispatcher, offers }: OpenedDispatcher): Dispatcher => ({
  answer: (request) => (offers?.now.some(({ name }) => name === request.name) ? dispatcher : other).answer(request),
  close: async () => {
    await Promise.all([other.close(), dispatcher.close()])
  },
})

interface OpenedDispatcher {
  readonly dispatcher: Dispatcher
  readonly offers: ServerOffers | undefined
  /** The declared tools, with what functions say of themselves. */
  readonly plans: readonly ToolPlan[]
}

const openDispatcher = async (
  bound: Bound,
  process: string,
  settings: SpawnSettings,
  reporter: Reporter,
  report: (fault: Fault) => void,
): Promise<Result<OpenedDispatcher, readonly Fault[]>> => {
  const tool = await import('@plumb/tool/internal')
  const plan = agentOf(bound)
  const docroot = findDocroot(settings.docroot)
  const authority = settings.authoritySource.authorityFor(plan)
  const plans = agentTools(bound)
  const own = settings.options.programs.tool === undefined ? plans : []
  const { registry, faults } = tool.openRegistry(own, settings.docroot, settings.standIn)
  if (!docroot.ok || !authority || faults.length > 0) return { ok: false, error: [...(docroot.ok ? [] : [docroot.error]), ...faults] }

  // plumb-agent asks for approval before it sends a request, also for the calls that the tool makes.
  const isApproved = plan.config.command === undefined && settings.options.programs.agent === undefined
  const names = { name: plan.name, place: process, docroot: docroot.value, authority, isApproved, caller: callerOf(plan.config, settings) }
  const session = await openToolSession(names, settings, reporter)
  const functions = await tool.loadFunctions(own, session, settings.standIn)
  if (functions.faults.length > 0) {
    await session.servers.close()
    return { ok: false, error: functions.faults }
  }
  const opened = await tool.openAgentServers({ plan, declared: plans.map(({ name }) => name), session })
  const file = opened.servers && hasServers(plan) ? tool.openToolsFile(opened.servers.offers()) : undefined
  if (opened.faults || file?.ok === false) {
    await session.servers.close()
    return { ok: false, error: opened.faults ?? (file?.ok === false ? [file.error] : []) }
  }
  const offered = opened.servers?.offers().map(({ name }) => name) ?? []
  const wrong = tool.notHeld(bound, [...plans.map(({ name }) => name), ...offered])
  if (wrong.length > 0) {
    await session.servers.close()
    return { ok: false, error: wrong }
  }
  const offers = opened.servers && file ? new ServerOffers(opened.servers, file.value, report) : undefined
  const described = own.length > 0 ? functions.plans : plans
  return { ok: true, value: { dispatcher: tool.openDispatcher({ registry, servers: opened.servers, session }), offers, plans: described } }
}
