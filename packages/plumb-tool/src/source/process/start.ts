// Which program runs a lowered process, and with which arguments (cli.md): one of ours, or the one that the spec or the caller names.

import { dirname, isAbsolute, join } from 'node:path'
import { type AgentPlan, agentOf, type Bound, serverVariables } from '@plumb/lang'
import { type Child, childEnv, type Result, type SourceFiles, spawnChild, spawnOwn, succeed } from '@plumb/wire'
import type { Session } from '../../call/call.js'
import { type HandDown, narrow, renewalMs } from '../../call/narrow.js'
import type { Effect } from '../../call/permit.js'
import type { Renewal } from './keep-renewed.js'

export interface Start {
  readonly bound: Bound
  /** The texts of the program that `bound` is of. */
  readonly files: SourceFiles
  readonly session: Session
  readonly env: Readonly<Record<string, string>>
  /** What comes before the command line, such as a sandbox. */
  readonly within: readonly string[]
}

export interface Started {
  readonly child: Child
  /** Undefined for a program that is not ours: nothing was handed to it. */
  readonly renewal: Renewal | undefined
}

/** Telemetry, for what it costs. */
const FDS = { 3: 'out' } as const

export const startProcess = (start: Start): Result<Started> => {
  const { bound, session } = start
  const agent = bound.binding.impl.kind === 'agent' ? agentOf(bound) : undefined
  if (!agent || agent.config.via !== undefined) return startPlumb(start)
  const program = foreignProgram(agent, session)
  // Whoever runs a program in the place of an agent also answers its calls.
  const hasTools = agent.config.tools !== undefined || agent.config.mcp !== undefined
  if (program) return hasTools ? startPlumb(start) : startForeign(program, agent, start)
  const args = ['--agent', bound.name, '--telemetry', '--no-envelopes', '--fds', Object.keys(FDS).join(',')]
  const { grant, grant_minutes: minutes } = agent.config as { readonly grant?: readonly Effect[]; readonly grant_minutes?: number }
  return startOwn('plumb-agent', args, FDS, { ...(grant ? { grant } : {}), ...(minutes === undefined ? {} : { minutes }) }, start)
}

const startPlumb = (start: Start): Result<Started> => {
  const { agentProgram } = start.session
  const replaced = agentProgram === undefined ? [] : ['--agent-command', agentProgram]
  const args = ['run', '--binding', start.bound.name, '--telemetry', '--no-envelopes', ...replaced]
  return startOwn('plumb', args, FDS, {}, start)
}

const startOwn = (
  program: 'plumb' | 'plumb-agent',
  args: readonly string[],
  fds: Readonly<Record<number, 'in' | 'out'>>,
  limits: Omit<HandDown, 'now'>,
  { bound, files, session, env, within }: Start,
): Result<Started> => {
  const authority = () => narrow(session.authority(), { ...limits, now: Date.now() })
  const own = spawnOwn({
    program,
    args: [...args, '--docroot', session.docroot, ...session.handedOn],
    files,
    entry: bound.scope.module.path,
    authority: authority(),
    fds,
    env: { ...childEnv('ours', serverVariables(bound)), ...env },
    within,
  })
  if (!own.ok) return own
  const { child, renew } = own.value
  return succeed({ child, renewal: { renew: () => renew(authority()), everyMs: renewalMs(limits.minutes) } })
}

const startForeign = (command: readonly string[], { config }: AgentPlan, { env, within }: Start): Result<Started> => {
  const names = (config.env as readonly string[] | undefined) ?? []
  const child = spawnChild({
    command: [...within, ...command],
    env: { ...childEnv('foreign', names), ...env },
    fds: FDS,
    isForeign: true,
  })
  return child.ok ? succeed({ child: child.value, renewal: undefined }) : child
}

const foreignProgram = ({ config, specPath }: AgentPlan, { agentProgram }: Session): readonly string[] | undefined => {
  const own = config.command as readonly string[] | undefined
  if (own) return besideSpec(own, specPath)
  return agentProgram === undefined ? undefined : [agentProgram]
}

/** A program with a slash is relative to the spec. */
const besideSpec = ([program = '', ...args]: readonly string[], specPath: string): readonly string[] => {
  if (!program.includes('/') || isAbsolute(program)) return [program, ...args]
  const path = join(dirname(specPath), program)
  return [path.includes('/') ? path : `./${path}`, ...args]
}
