// Opens the tools that a command line names, with their authority.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { agentOf, agentTools, bindingNamed, type Program, type ToolPlan, toolsOf } from '@plumb/lang'
import {
  type Fault,
  fail,
  isDebugging,
  nearest,
  nowMs,
  openLog,
  optionWords,
  preview,
  type Reporter,
  type Result,
  succeed,
  withAround,
} from '@plumb/wire'
import { guardOutputsBelow } from '@plumb/wire/output'
import { approveOnTerminal } from '../call/approve.js'
import type { Session } from '../call/call.js'
import { ServerPool } from '../mcp-client/server-pool.js'
import { openRegistry } from '../registry/registry.js'
import { watchProgram } from '../source/program-files/detect-changes.js'
import { keptPaths } from '../source/sandbox/program-files.js'
import { openCliAuthority } from './authority.js'
import type { ToolSet } from './command.js'
import type { LoadedProgram } from './load.js'
import { type CliOptions, TOOL_GROUPS } from './options.js'

/** Undefined: all errors were reported. */
export const openToolSet = async (loaded: LoadedProgram, options: CliOptions, reporter: Reporter): Promise<ToolSet | undefined> => {
  const { program, files, bootstrap } = loaded
  const { permissions } = options
  const offer = offerOf(program, options.program.agent)
  const docroot = directoryOf(permissions.docroot ?? '.')
  const authority = openCliAuthority(options, bootstrap, offer.ok ? offer.value.agent : undefined)
  const { registry, faults } = openRegistry(offer.ok ? offer.value.plans : [], permissions.docroot)
  const failed = [offer, docroot, authority].flatMap((result) => (result.ok ? [] : [result.error]))
  for (const error of [...failed, ...faults] satisfies Fault[]) reporter.report(error)
  if (!offer.ok || !docroot.ok || !authority.ok || faults.length > 0) return undefined

  guardOutputsBelow(docroot.value)
  const log = isDebugging() ? await openLog('plumb-tool', (line) => reporter.write(line)) : undefined
  const own = {
    docroot: docroot.value,
    files: permissions.policy === undefined ? files : withAround(files, { paths: [resolve(permissions.policy)] }),
  }
  const session: Session = {
    ...own,
    authority: authority.value,
    approve: approveOnTerminal(),
    onCall: log && ((envelope) => log('tool_call', { ...envelope })),
    agentOptions: optionWords(TOOL_GROUPS.model, options.model),
    agentProgram: permissions.agentProgram,
    caller: callerOf(options.model, offer.value),
    servers: new ServerPool({
      cwd: docroot.value,
      kept: () => keptPaths(own),
      note: (warning) => reporter.warn(warning),
      tracesSandbox: options.verb.tracesSandbox,
    }),
    nowMs,
  }
  await watchProgram(session)
  return { program, registry, session, agent: offer.value.agent }
}

/** The tools on offer, and whose grant applies. */
interface Offer {
  readonly plans: readonly ToolPlan[]
  readonly agent: ReturnType<typeof agentOf> | undefined
}

const offerOf = (program: Program, name: string | undefined): Result<Offer> => {
  if (name === undefined) return succeed({ plans: toolsOf(program), agent: undefined })
  const bound = bindingNamed(program, name)
  if (bound?.binding.impl.kind === 'agent') return succeed({ plans: agentTools(bound), agent: agentOf(bound, name) })
  const agents = [...program.entry.bindings.values()].filter(({ binding }) => binding.impl.kind === 'agent').map((agent) => agent.name)
  const near = nearest(name, agents)
  const hint = near === undefined ? `; there are ${agents.length === 0 ? 'none' : agents.join(', ')}` : `, did you mean '${near}'?`
  return fail('unknown_name', `no agent is named '${preview(name)}'${hint}`)
}

const directoryOf = (path: string): Result<string> => {
  try {
    if (statSync(path).isDirectory()) return succeed(resolve(path))
  } catch {
    // Treated as missing.
  }
  return fail('file_not_found', `--docroot names '${preview(path)}', which is not a directory`)
}

const callerOf = (given: CliOptions['model'], { agent }: Offer): Session['caller'] => {
  const provider = given.provider ?? textIn(agent?.config.provider) ?? process.env.PLUMB_PROVIDER
  const model = given.model ?? textIn(agent?.config.model) ?? process.env.PLUMB_MODEL
  const endpoint = textIn(agent?.config.endpoint)
  return provider === undefined || model === undefined ? undefined : { provider, model, ...(endpoint === undefined ? {} : { endpoint }) }
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
