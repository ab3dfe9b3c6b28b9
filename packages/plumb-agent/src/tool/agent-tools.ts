// The tools of this agent, ready to be called: declared, judged, asked for, and run by somebody. Without any nothing is opened.

import { type Fault, succeed } from '@plumb/wire'
import type { Prepared } from '../config/prepare.js'
import type { Approvals } from '../control/approvals.js'
import type { Outlets } from '../io/outlets.js'
import type { Options } from '../options.js'
import { OwnDispatcher } from './child-dispatcher.js'
import { declareTools } from './declared.js'
import type { Dispatcher, EnvelopedAnswers } from './dispatcher.js'
import { openRunner, strangers } from './open-runner.js'
import { openGate } from './policy.js'
import type { Servers } from './servers.js'
import { startPlumbTool, startStranger } from './start-runner.js'
import { NO_TOOLS, openTools, type Tools } from './tools.js'

export interface AgentTools extends Tools {
  readonly answers: EnvelopedAnswers
  readonly close: () => Promise<void>
}

export interface AgentToolsParts {
  readonly prepared: Prepared
  readonly options: Options
  readonly servers: Servers
  readonly outlets: Outlets
  readonly approvals: Approvals
  readonly report: (fault: Fault) => void
  readonly writeStderr: (line: string) => void
  readonly isStarved: () => boolean
}

export const openAgentTools = (parts: AgentToolsParts): AgentTools => {
  const { prepared, options, servers, outlets, approvals, report, isStarved } = parts
  const { config, fds, authority } = prepared
  if (config.tools.length === 0 && config.servers.length === 0) return { ...NO_TOOLS, answers: strangers(report), close: async () => {} }
  const own = (options.toolCommand === undefined ? servers.own : undefined) ?? ownDispatcher(parts)
  const { writeTelemetry } = outlets
  if (writeTelemetry) for (const each of [own, servers.own]) if (each) each.onTold = (told) => writeTelemetry(JSON.stringify(told))
  const runner = openRunner({ fds, outlets, own, report, isStarved })
  const tools = openTools({
    declared: declareTools(config.tools),
    ofServers: servers.offered,
    gate: openGate(() => authority.current()),
    approvals,
    dispatcher: withServers(runner.dispatcher, servers, new Set(config.tools.map(({ name }) => name))),
    areParallel: config.parallelToolCalls,
  })
  return {
    ...tools,
    answers: runner.answers,
    close: async () => {
      await Promise.all([runner.close(), servers.own?.close()])
    },
  }
}

/** Whoever has opened the servers runs their tools. */
const withServers = (others: Dispatcher, { own, offered }: Servers, declared: ReadonlySet<string>): Dispatcher => {
  if (!own) return others
  const isOfServer = (name: string): boolean => !declared.has(name) && offered().has(name)
  return { ask: (request, timeoutMs, signal) => (isOfServer(request.name) ? own : others).ask(request, timeoutMs, signal) }
}

const ownDispatcher = ({ prepared, options, report, writeStderr }: AgentToolsParts): OwnDispatcher => {
  const { toolCommand } = options
  let stopRenewing = () => {}
  return new OwnDispatcher({
    program: toolCommand ?? 'plumb-tool',
    start: () => {
      if (toolCommand !== undefined) return startStranger(prepared, toolCommand)
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
