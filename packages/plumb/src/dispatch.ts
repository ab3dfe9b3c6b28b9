// Who answers the tool calls of the agents of a graph: plumb-tool's dispatcher in this process, or another program. A run without tools loads none of it.

import { agentOf, agentTools, type Bound, type Graph, type GraphNode } from '@plumb/lang'
import type { Dispatcher, Session } from '@plumb/tool'
import { type Fault, isDebugging, nowMs, openLog, type Reporter } from '@plumb/wire'
import { hasTools, type SpawnSettings } from './agent-start.js'
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
  const faults: Fault[] = []
  for (const node of served(graph)) {
    const { serveLines } = await import('@plumb/tool')
    const { toolProgram, maxLine } = settings
    const report = (fault: Fault) => settings.report({ ...fault, port: fault.port ?? 'tool_req', process: node.name })
    const opened =
      toolProgram === undefined
        ? await openDispatcher(node.work.bound, settings, reporter)
        : openToolCommand({ program: toolProgram, maxLine, reporter, report })
    if (opened.faults) faults.push(...opened.faults.map((fault) => ({ ...fault, process: node.name })))
    else services.set(node, new ToolService({ dispatcher: opened.dispatcher, serveLines, maxLine, report }))
  }
  if (faults.length === 0) return services
  for (const fault of faults) reporter.report(fault)
  for (const service of services.values()) void service.close()
  return undefined
}

/** Or why there is none. */
export type Opened =
  | { readonly dispatcher: Dispatcher; readonly faults?: undefined }
  | { readonly dispatcher?: undefined; readonly faults: readonly Fault[] }

const openDispatcher = async (bound: Bound, settings: SpawnSettings, reporter: Reporter): Promise<Opened> => {
  const tool = await import('@plumb/tool')
  const plan = agentOf(bound)
  const docroot = findDocroot(settings.docroot)
  const authority = settings.giver.grantTo(plan)
  const { registry, faults } = tool.openRegistry(agentTools(bound))
  if (!docroot.ok || !authority || faults.length > 0) return { faults: [...(docroot.ok ? [] : [docroot.error]), ...faults] }

  // plumb-agent has asked before it sends a request, for what the tool calls in its turn too.
  const isAsked = plan.config.command === undefined && settings.agentProgram === undefined
  const log = isDebugging() ? await openLog('plumb', (line) => reporter.write(line)) : undefined
  const { files, handedOn, agentProgram } = settings
  const dispatcher = tool.openDispatcher({
    registry,
    session: {
      docroot: docroot.value,
      files,
      authority,
      approve: isAsked ? async () => true : tool.approveOnTerminal(),
      trace: log && ((envelope) => log('tool_call', { ...envelope })),
      handedOn,
      agentProgram,
      caller: callerOf(plan.config, settings),
      nowMs,
    },
  })
  return { dispatcher }
}

const callerOf = (config: Readonly<Record<string, unknown>>, settings: SpawnSettings): Session['caller'] => {
  const provider = settings.provider ?? config.provider ?? process.env.PLUMB_PROVIDER
  const model = settings.model ?? config.model ?? process.env.PLUMB_MODEL
  if (typeof provider !== 'string' || typeof model !== 'string') return undefined
  return { provider, model, ...(typeof config.endpoint === 'string' ? { endpoint: config.endpoint } : {}) }
}
