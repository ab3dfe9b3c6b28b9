// The shared state of all calls of one agent, or of one map of a tool: the docroot, the authority, and the receivers of reports.

import type { AgentUsage, CallContext, CallEnvelope, Session } from '@plumb/tool/internal'
import { isDebugging, nowMs, openLog, type Reporter, scrub } from '@plumb/wire'
import type { SpawnSettings } from '../child/agent-start.js'
import { tellsSpans, traceOfRun } from '../event/trace.js'
import { wordsOfAgents } from '../options/run-options.js'
import type { MapApprovals } from './map-approvals.js'

export interface SessionOptions {
  /** The agent, or the tool that is mapped. */
  readonly name: string
  /** Its place in the graph. */
  readonly place: string
  /** Absolute. */
  readonly docroot: string
  readonly authority: Session['authority']
  /** Approval was given before the calls come here. */
  readonly isApproved: boolean
  readonly caller: Session['caller']
  /** Keeps calls that wait for a person's decision. Undefined: they are refused when no person is there to ask. */
  readonly approvals?: MapApprovals | undefined
}

export const openToolSession = async (options: SessionOptions, settings: SpawnSettings, reporter: Reporter): Promise<Session> => {
  const tool = await import('@plumb/tool/internal')
  const { name, place, docroot, authority, isApproved, caller, approvals } = options
  const log = isDebugging() ? await openLog('plumb', (line) => reporter.write(line)) : undefined
  const { files, options: given, emitter, emitToParent, costOf, withoutLiveLines = (work) => work() } = settings
  // Of a run with many workers no person is at the terminal; one that parks its calls asks elsewhere.
  const asksNobody = settings.deliveries !== undefined || approvals !== undefined
  const ask = settings.ask ?? (asksNobody ? async () => undefined : tool.askOnTerminal(settings.askPerson))
  const tell = (call: CallEnvelope, context?: CallContext) => {
    log?.('tool_call', { ...call })
    emitter?.emit({ kind: 'call', process: place, call, ...(context ? { context } : {}) })
    if (!emitToParent) return
    if (context && tellsSpans()) emitToParent(JSON.stringify({ kind: 'tool_span', id: call.id, agent: call.agent ?? name, ...context }))
    for (const telemetry of tool.callTelemetry(call, name)) emitToParent(scrub(JSON.stringify(telemetry)))
  }
  const used = (telemetry: AgentUsage): void => {
    emitter?.emit({ kind: 'telemetry', process: place, telemetry })
    emitToParent?.(scrub(JSON.stringify(telemetry)))
  }
  const session: Session = {
    docroot,
    files,
    authority,
    approve: isApproved ? async () => true : async (request, signal) => (await withoutLiveLines(() => ask(request, signal))) ?? false,
    // A call that is kept is allowed as it stands there, or not.
    held:
      approvals &&
      ((request, run, signal) =>
        approvals.call(request, {
          run,
          ask: async () => {
            const said = await withoutLiveLines(() => ask(request, signal))
            return typeof said === 'object' && 'edited' in said ? false : said
          },
        })),
    onCall: log || emitter || emitToParent ? tell : undefined,
    trace: settings.trace ?? traceOfRun(),
    costOf,
    onUsage: emitter || emitToParent ? used : undefined,
    agentOptions: wordsOfAgents(given.agents),
    agentProgram: given.programs.agent,
    caller,
    servers: new tool.ServerPool({ cwd: docroot, note: (warning) => reporter.warn({ ...warning, process: name }) }),
    nowMs,
  }
  await tool.watchProgram(session)
  return session
}

/** The provider and the model for tools that use those of their caller. */
export const callerOf = (config: Readonly<Record<string, unknown>>, { options: { agents } }: SpawnSettings): Session['caller'] => {
  const provider = agents.provider ?? config.provider ?? process.env.PLUMB_PROVIDER
  const model = agents.model ?? config.model ?? process.env.PLUMB_MODEL
  if (typeof provider !== 'string' || typeof model !== 'string') return undefined
  return { provider, model, ...(typeof config.endpoint === 'string' ? { endpoint: config.endpoint } : {}) }
}
