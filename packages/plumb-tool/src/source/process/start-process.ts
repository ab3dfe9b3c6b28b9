// Chooses the program and arguments that run a process as a tool (plumb(1)): plumb, plumb-agent, or the one that spec or caller names.

import { realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { type AgentPlan, agentOf, agentTools, asksPerson, type Bound, checkedAgent, serverVariables, writeAgent } from '@plumb/lang'
import { currentBudget } from '@plumb/ledger'
import { type Delegation, type Effect, narrow, renewalMs } from '@plumb/policy'
import {
  buildSandboxCommand,
  closeWithChild,
  hostPolicy,
  type Sandbox,
  type SandboxedChild,
  type SandboxedProgram,
  spawnSandboxed,
} from '@plumb/sandbox'
import {
  agentLimit,
  andThen,
  childEnv,
  type PlumbChildOptions,
  type Result,
  resolveProgram,
  type SourceFiles,
  siblingProgram,
  spawnPlumb,
  succeed,
  toDollars,
} from '@plumb/wire'
import type { Session } from '../../call/call.js'
import { checkedTool } from '../checked-tool.js'
import { loadFunctions } from '../function/load-functions.js'
import { protectedProgramFiles } from '../program-files/protected-files.js'
import { readAgentSandbox } from './agent-sandbox.js'
import { ASKING_ARGS, ASKING_FDS } from './answer-child.js'

interface StartOptions {
  readonly bound: Bound
  /** The texts of the program that contains `bound`. */
  readonly files: SourceFiles
  readonly session: Session
  readonly env: Readonly<Record<string, string>>
  readonly sandbox: Sandbox | undefined
}

interface StartedProcess {
  readonly child: SandboxedChild
  /** Undefined for a foreign program, which gets no authority. */
  readonly renewal: Renewal | undefined
}

/** Descriptor 3 carries telemetry. */
const FDS = { 3: 'out' } as const

export const startProcess = async (start: StartOptions): Promise<Result<StartedProcess>> => {
  const { bound, session } = start
  const agent = bound.binding.impl.kind === 'agent' ? agentOf(bound) : undefined
  if (!agent || agent.config.via !== undefined || asksPerson(bound)) return startPlumb(start)
  const program = findForeignProgram(agent, session)
  // plumb answers the tool calls of a foreign program, so an agent with tools needs it.
  const hasTools = agent.config.tools !== undefined || agent.config.mcp !== undefined
  if (program) return hasTools ? startPlumb(start) : startForeign(program, agent, start)
  const args = ['--agent', bound.name, '--telemetry', '--no-envelopes', '--fds', Object.keys(FDS).join(',')]
  const { grant, grant_minutes: minutes } = agent.config as { readonly grant?: readonly Effect[]; readonly grant_minutes?: number }
  const limits = { ...(grant ? { grant } : {}), ...(minutes === undefined ? {} : { minutes }) }
  const handed = await handedAgent(agent, start)
  return handed.ok ? startOwn({ program: 'plumb-agent', args, agent: handed.value }, limits, start) : handed
}

/** Undefined: the texts are not those that it was compiled from, as of a prompt file that takes the model of its caller. */
const handedAgent = async (agent: AgentPlan, { bound, files, session }: StartOptions) => {
  const text = files.read(agent.specPath)
  if (!text.ok || text.value !== agent.span.source.text) return succeed(undefined)
  const { plans, faults } = await loadFunctions(agentTools(bound), session)
  const [fault] = faults
  return fault ? { ok: false as const, error: fault } : succeed(writeAgent(checkedAgent(agent, plans.map(checkedTool))))
}

const startPlumb = (start: StartOptions): Promise<Result<StartedProcess>> => {
  const { agentProgram } = start.session
  const replaced = agentProgram === undefined ? [] : ['--agent-command', agentProgram]
  const asking = start.session.answer && !start.sandbox ? ASKING_ARGS : []
  const args = ['run', '--binding', start.bound.name, '--telemetry', '--no-envelopes', ...replaced, ...asking]
  return startOwn({ program: 'plumb', args, fds: asking.length > 0 ? { ...FDS, ...ASKING_FDS } : FDS }, {}, start)
}

const startOwn = async (
  { program, args, agent, fds = FDS }: Pick<PlumbChildOptions, 'program' | 'args' | 'agent' | 'fds'>,
  limits: Omit<Delegation, 'now'>,
  start: StartOptions,
): Promise<Result<StartedProcess>> => {
  const { bound, files, session, env, sandbox } = start
  const authority = () => narrow(session.authority(), { ...limits, now: Date.now() })
  const theirs = { ...childEnv('ours', serverVariables(bound)), ...env }
  const enclosure = sandbox
    ? buildSandboxCommand(sandbox, { ...(await sandboxContext(start, sandbox, theirs)), program: findExecutables() })
    : succeed(undefined)
  if (!enclosure.ok) return enclosure
  const within = enclosure.value
  const own = spawnPlumb({
    program,
    args: [...args, ...docrootArguments(session.docroot), ...session.agentOptions],
    files,
    entry: bound.scope.module.path,
    authority: authority(),
    agent,
    fds,
    env: within?.env ?? theirs,
    within,
  })
  within?.close()
  if (!own.ok) {
    within?.settle()
    return own
  }
  const { child, renew } = own.value
  return succeed({ child: closeWithChild(child, within), renewal: { renew: () => renew(authority()), everyMs: renewalMs(limits.minutes) } })
}

// The default docroot is not passed on: one that is named also limits which prompts may be read.
const docrootArguments = (docroot: string): readonly string[] => (docroot === findWorkingDirectory() ? [] : ['--docroot', docroot])

const findWorkingDirectory = (): string | undefined => {
  try {
    return process.cwd()
  } catch {
    // The working directory was removed.
    return undefined
  }
}

const startForeign = async (command: readonly string[], agent: AgentPlan, start: StartOptions): Promise<Result<StartedProcess>> => {
  const { config } = agent
  const { session, env, sandbox } = start
  const names = (config.env as readonly string[] | undefined) ?? []
  // The sandbox of the tool, if any, replaces that of the agent.
  const held = sandbox
    ? succeed(sandbox)
    : andThen(readAgentSandbox(agent, session.docroot), (own) => own?.(session.servers) ?? succeed(undefined))
  if (!held.ok) return held
  const left = currentBudget()?.left(agentLimit(agent.specPath, agent.bound.name, config.max_cost)) ?? null
  const budget = left === null ? {} : { PLUMB_BUDGET: String(toDollars(Math.max(0, left))) }
  const place = await sandboxContext(start, held.value, { ...childEnv('foreign', names), ...env, ...budget })
  const context = { ...place, words: command.slice(1) }
  const child = spawnSandboxed(held.value, { command, cwd: place.cwd, env: place.env, fds: FDS, isForeign: true }, context)
  return child.ok ? succeed({ child: child.value, renewal: undefined }) : child
}

const sandboxContext = async (
  { bound: { name, scope }, session }: StartOptions,
  sandbox: Sandbox | undefined,
  env: Readonly<Record<string, string>>,
): Promise<Omit<SandboxedProgram, 'program'>> => {
  const { path } = scope.module
  return {
    cwd: process.cwd(),
    env,
    visible: [dirname(resolve(path)), resolve(path)],
    programFiles: await protectedProgramFiles(session, sandbox, []),
    caller: hostPolicy(name, session.authority),
  }
}

// The installation directory of our executables.
const findExecutables = (): readonly string[] => {
  const agent = resolveProgram(siblingProgram('plumb-agent'), '/', process.env.PATH)
  return agent.ok ? [join(realpathSync(agent.value), '../../..')] : []
}

const findForeignProgram = ({ config, specPath }: AgentPlan, { agentProgram }: Session): readonly string[] | undefined => {
  const own = config.command as readonly string[] | undefined
  if (own) return resolveBesideSpec(own, specPath)
  return agentProgram === undefined ? undefined : [agentProgram]
}

/** A program with a slash is relative to the directory of the spec. */
const resolveBesideSpec = ([program = '', ...args]: readonly string[], specPath: string): readonly string[] => {
  if (!program.includes('/') || isAbsolute(program)) return [program, ...args]
  const path = join(dirname(specPath), program)
  return [path.includes('/') ? path : `./${path}`, ...args]
}

interface Renewal {
  /** Passes the current authority to the child. */
  readonly renew: () => void
  readonly everyMs: number
}

/** While a child runs, its authority follows that of this process. Returns the function that stops it. */
export const renewRegularly = ({ renew, everyMs }: Renewal): (() => void) => {
  const timer = setInterval(renew, everyMs)
  return () => clearInterval(timer)
}
