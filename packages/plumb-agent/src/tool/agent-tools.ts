// The tools of this agent, ready to be called: declared, judged, asked for, and run by somebody. Without any nothing is opened.

import { type Child, childEnv, type Fault, type Result, spawnChild, spawnOwn, succeed } from '@plumb/wire'
import type { Approvals } from '../approvals.js'
import type { Options } from '../options.js'
import type { Outlets } from '../outlets.js'
import type { Prepared } from '../prepare.js'
import type { Tell } from '../telemetry.js'
import { declareTools } from './declared.js'
import type { EnvelopedAnswers } from './dispatcher.js'
import { openGate } from './gate.js'
import { openRunner, strangers } from './open-runner.js'
import { NO_TOOLS, openTools, type Tools } from './tools.js'

export interface AgentTools extends Tools {
  readonly answers: EnvelopedAnswers
  readonly close: () => Promise<void>
}

export interface AgentToolsParts {
  readonly prepared: Prepared
  readonly options: Options
  readonly outlets: Outlets
  readonly approvals: Approvals
  readonly tell: Tell
  readonly report: (fault: Fault) => void
  readonly writeStderr: (line: string) => void
  readonly isStarved: () => boolean
}

export const openAgentTools = (parts: AgentToolsParts): AgentTools => {
  const { prepared, options, outlets, approvals, tell, report, writeStderr, isStarved } = parts
  const { config, fds, authority } = prepared
  if (config.tools.length === 0) return { ...NO_TOOLS, answers: strangers(report), close: async () => {} }
  let stopRenewing = () => {}
  const start = (): Result<Child> => {
    const started = startRunner(prepared, options)
    if (!started.ok) return started
    const { child, renew } = started.value
    if (renew) stopRenewing = authority.keepRenewed(renew)
    return succeed(child)
  }
  const own = { program: options.toolCommand ?? 'plumb-tool', start, report, writeStderr }
  const runner = openRunner({ fds, outlets, own, report, isStarved })
  const tools = openTools({
    declared: declareTools(config.tools),
    gate: openGate(() => authority.current()),
    approvals,
    dispatcher: runner.dispatcher,
    areParallel: config.parallelToolCalls,
    tell,
  })
  return {
    ...tools,
    answers: runner.answers,
    close: () => {
      stopRenewing()
      return runner.close()
    },
  }
}

interface Started {
  readonly child: Child
  /** Not for a stranger. */
  readonly renew?: (authority: unknown) => void
}

const startRunner = ({ plan, files, config, authority }: Prepared, options: Options): Result<Started> => {
  const { toolCommand, docroot, maxLineBytes, allowedHosts } = options
  const names = (plan.config.env as readonly string[] | undefined) ?? []
  if (toolCommand !== undefined) {
    const child = spawnChild({ command: [toolCommand], env: childEnv('foreign', names), isForeign: true })
    return child.ok ? succeed({ child: child.value }) : child
  }
  const args = [
    ...['serve', '--agent', plan.bound.name, '--provider', config.providerName, '--model', config.model],
    ...(docroot === undefined ? [] : ['--docroot', docroot]),
    ...allowedHosts.flatMap((host) => ['--allow-host', host]),
    ...(maxLineBytes === undefined ? [] : ['--max-line', String(maxLineBytes)]),
  ]
  return spawnOwn({
    program: 'plumb-tool',
    args,
    files,
    entry: plan.specPath,
    env: childEnv('ours', names),
    authority: authority.current(),
  })
}
