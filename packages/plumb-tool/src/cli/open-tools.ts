// Opens the tools that a command line names, with their authority.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type AgentPlan, agentOf, agentTools, bindingNamed, type Program, type ToolPlan, toolsOf } from '@plumb/lang'
import { costOfUsage, loadPrices } from '@plumb/ledger'
import { ServerPool } from '@plumb/mcp-client'
import { type Authority, EFFECTS, type Effect, narrow, parseContext, parseGrant, readAuthority, readPolicy } from '@plumb/policy'
import {
  andThen,
  type Bootstrap,
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
  readSpec,
  readUsage,
  succeed,
  toDollars,
  withAround,
} from '@plumb/wire'
import { guardOutputsBelow } from '@plumb/wire/output'
import { approveOnTerminal } from '../call/approve.js'
import type { Session } from '../call/call.js'
import { openRegistry, type Registry } from '../registry/registry.js'
import { loadFunctions } from '../source/function/load-functions.js'
import { watchProgram } from '../source/program-files/detect-changes.js'
import { keptPaths } from '../source/program-files/protected-files.js'
import type { Todo } from './arguments.js'
import type { ToolSet } from './command.js'
import type { LoadedProgram } from './load.js'
import { type CliOptions, TOOL_GROUPS } from './options.js'

/** Undefined: all errors were reported. */
export const openToolSet = async (loaded: LoadedProgram, todo: Todo, reporter: Reporter): Promise<ToolSet | undefined> => {
  const { options } = todo
  const { program, files, bootstrap } = loaded
  const { permissions } = options
  const offer = offerOf(program, options.program.agent)
  const docroot = directoryOf(permissions.docroot ?? '.')
  const authority = openCliAuthority(options, bootstrap, offer.ok ? offer.value.agent : undefined)
  const plans = offer.ok ? offer.value.plans : []
  const { registry, faults } = openRegistry(plans, permissions.docroot)
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
    costOf: options.verb.wantsEnvelope && reachesModels(registry) ? await dollarsOf() : undefined,
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
  const tools = { program, registry, session, agent: offer.value.agent }
  // The parent has loaded those of what it hands over.
  if (bootstrap) return tools
  const wanted = plans.filter((plan) => isWanted(plan, todo))
  const functions = await loadFunctions(wanted, session)
  if (functions.plans === wanted) return tools
  for (const error of functions.faults) reporter.report(error)
  if (functions.faults.length > 0) {
    await session.servers.close()
    return undefined
  }
  const words = new Map(functions.plans.map((plan) => [plan.bound, plan]))
  return {
    ...tools,
    registry: openRegistry(
      plans.map((plan) => words.get(plan.bound) ?? plan),
      permissions.docroot,
    ).registry,
  }
}

/** What is called or shown alone needs no other tool. */
const isWanted = (plan: ToolPlan, { verb, words: [name] }: Todo): boolean =>
  verb === 'call' || verb === 'schema' ? plan.name === name : verb !== 'sandbox'

const reachesModels = (registry: Registry): boolean => registry.list().some(({ effects }) => effects.includes('model'))

const dollarsOf = async (): Promise<Session['costOf']> => {
  const prices = await loadPrices()
  return (usage) => {
    const cost = costOfUsage(prices, readUsage(usage).usage)
    return cost === undefined ? undefined : toDollars(cost)
  }
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

/** Read at each call, since a parent renews it. */
const openCliAuthority = (options: CliOptions, bootstrap: Bootstrap | undefined, agent: AgentPlan | undefined): Result<() => Authority> => {
  const given = bootstrap?.authority === undefined ? fromOptions(options.permissions) : readAuthority(bootstrap.authority)
  if (!given.ok) return given
  let authority = given.value
  bootstrap?.onAuthority((renewed) => {
    const read = readAuthority(renewed)
    if (read.ok) authority = read.value
  })
  const config = agent?.config
  if (!config) return succeed(() => authority)
  const { grant, grant_minutes: minutes } = config as { readonly grant?: readonly Effect[]; readonly grant_minutes?: number }
  return succeed(() => narrow(authority, { ...(grant ? { grant } : {}), ...(minutes === undefined ? {} : { minutes }), now: Date.now() }))
}

const fromOptions = ({ grant, context, policy }: CliOptions['permissions']): Result<Authority> => {
  const effects = parseGrant(grant)
  const facts = parseContext(context)
  const rules = policy === undefined ? succeed([]) : andThen(readSpec(policy), readPolicy)
  if (!effects.ok) return effects
  if (!facts.ok) return facts
  if (!rules.ok) return { ok: false, error: { path: policy, ...rules.error } }
  return succeed({ ...(grant.length === 0 ? {} : { grant: whole(effects.value) }), policy: rules.value, context: facts.value })
}

// The caller has all effects except net.private; naming that alone adds it.
const whole = (grant: readonly Effect[]): readonly Effect[] => (grant.length === 1 && grant[0] === 'net.private' ? EFFECTS : grant)
