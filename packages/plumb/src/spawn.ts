// From an agent or a plumb in the graph to a running process: which program, which arguments, which descriptors.

import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { agentOf, type Bound, type GraphNode } from '@plumb/lang'
import { type Child, childEnv, fail, type Result, type SourceFiles, spawnChild } from '@plumb/wire'
import type { ChildKind } from './child-ledger.js'

export interface SpawnSettings {
  readonly files: SourceFiles
  /** Options handed on to every child: provider, model, docroot. */
  readonly handedOn: readonly string[]
  /** A program in place of plumb-agent (--agent-command, PLUMB_AGENT). */
  readonly agentProgram: string | undefined
  readonly maxInFlight: number
  readonly maxLine: number
}

/** Our children get all spec texts over this descriptor, so that they see what we saw. */
const SOURCES_FD = 9
/** What a message between us and our children may need besides its own bytes. */
export const ENVELOPE_BYTES = 256

export interface Spawned {
  readonly child: Child
  readonly kind: ChildKind
  readonly isEnveloped: boolean
}

export const spawnAgent = (node: GraphNode, bound: Bound, settings: SpawnSettings): Result<Spawned> => {
  const plan = agentOf(bound)
  const own = plan.config.command as readonly string[] | undefined
  const foreign = own ? besideSpec(own, plan.specPath) : settings.agentProgram && [settings.agentProgram]
  // plumb-agent refuses them itself; another program would run without what they ask for, or here and not there.
  const later = LATER.find((key) => foreign && plan.config[key] !== undefined)
  if (later) return fail('config_invalid', `'${later}' is not served by this version of plumb; remove it from agent '${bound.name}'`)
  const portFds = portFdsOf(node)
  const env = (plan.config.env as readonly string[] | undefined) ?? []
  if (foreign) return withPorts(spawnChild({ command: foreign, env: childEnv('foreign', env), fds: portFds, isForeign: true }), 'program')
  const program = siblingProgram('plumb-agent')
  const command = [program, '--agent', bound.name, '--telemetry', '--no-envelopes', '--fds', Object.keys(portFds).join(',')]
  return withPorts(spawnOwn(command, bound, portFds, settings), 'agent')
}

const LATER = ['via', 'tools', 'mcp'] as const

/** A nested plumb is this program again, on another binding of the same spec. */
export const spawnPlumb = (node: GraphNode, bound: Bound, settings: SpawnSettings): Result<Spawned> => {
  const isEnveloped = node.inputs.length !== 1 || node.outputs.length !== 1
  const command = [siblingProgram('plumb'), 'run', '--binding', bound.name, '--telemetry', isEnveloped ? '--mux' : '--no-envelopes']
  command.push('--max-in-flight', String(settings.maxInFlight))
  if (settings.agentProgram !== undefined) command.push('--agent-command', settings.agentProgram)
  const child = spawnOwn(command, bound, { 3: 'out' }, settings)
  return child.ok ? { ok: true, value: { child: child.value, kind: 'plumb', isEnveloped } } : child
}

const withPorts = (child: Result<Child>, kind: ChildKind): Result<Spawned> =>
  child.ok ? { ok: true, value: { child: child.value, kind, isEnveloped: false } } : child

// The file that is named to it is the one that declares the binding, whichever module that is.
const spawnOwn = (
  command: readonly string[],
  bound: Bound,
  fds: Readonly<Record<number, 'in' | 'out'>>,
  settings: SpawnSettings,
): Result<Child> => {
  const entry = bound.scope.module.path
  const options = ['--max-line', String(settings.maxLine + ENVELOPE_BYTES), '--sources-fd', String(SOURCES_FD), ...settings.handedOn]
  const child = spawnChild({
    command: [...command, ...options, '--', entry],
    env: childEnv('ours'),
    fds: { ...fds, [SOURCES_FD]: 'in' },
    isForeign: false,
  })
  const sources = child.ok ? child.value.fds.get(SOURCES_FD) : undefined
  if (sources && 'write' in sources) sources.end(JSON.stringify(settings.files.bundle(entry)))
  return child
}

// Telemetry always, control where it is wired.
const portFdsOf = (node: GraphNode): Record<number, 'in' | 'out'> => {
  const hasControl = node.inputs.some((p) => p.name === 'ctrl_in')
  return hasControl ? { 3: 'out', 6: 'in', 7: 'out' } : { 3: 'out' }
}

// A program with a slash is relative to the spec; the working directory is the caller's.
const besideSpec = ([program = '', ...args]: readonly string[], specPath: string): string[] => {
  const path = program.includes('/') && !isAbsolute(program) ? join(dirname(specPath), program) : program
  return [program.includes('/') && !path.includes('/') ? `./${path}` : path, ...args]
}

/** Another executable of this project: beside this one, as in the source tree and in an installation, else on PATH. */
const siblingProgram = (name: string): string => {
  const beside = [join(__dirname, '../../', name, 'bin', name), join(__dirname, '../bin', name)]
  return beside.find((path) => existsSync(path)) ?? name
}
