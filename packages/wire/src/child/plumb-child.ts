// Children that are executables of this project: found beside this one, started with the texts that were compiled here.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BUDGET_FD, currentBudget } from '../budget/budget.js'
import type { Budget } from '../budget/interface.js'
import { inheritedFdEnv } from '../fd/launcher.js'
import { currentKept, KEPT_FD } from '../kept/current.js'
import type { LineSink } from '../line/stream.js'
import type { Result } from '../result.js'
import { bootstrapLine, renewalLine } from '../spec/bootstrap.js'
import type { SourceFiles } from '../spec/source-files.js'
import { childEnv } from './env.js'
import type { SpawnOptions } from './prepare.js'
import { type Child, spawnChild } from './spawn.js'
import { type LineChild, spawnLines } from './spawn-lines.js'

export type PlumbProgram = 'plumb' | 'plumb-agent' | 'plumb-tool' | 'plumb-mux' | 'plumb-mcp' | 'plumb-chat'

export interface PlumbChildOptions {
  /** Those that take a spec. */
  readonly program: 'plumb' | 'plumb-agent' | 'plumb-tool'
  /** Without the spec and the descriptor of the sources, which are added where the program takes them. */
  readonly args: readonly string[]
  readonly files: SourceFiles
  /** The file that is named to it: the one that declares what it runs, whichever module that is. */
  readonly entry: string
  /** What it may do; see `Bootstrap`. */
  readonly authority?: unknown
  /** What plumb-agent is to run, already checked; see `Handover`. */
  readonly agent?: unknown
  /** Those besides 0, 1 and 2, as the child sees them; 8 and 9 are taken. */
  readonly fds?: Readonly<Record<number, 'in' | 'out'>>
  /** Descriptors of ours that it gets as they are, by the number that it sees. */
  readonly shared?: Readonly<Record<number, number>>
  readonly cwd?: string
  /** What it may spend; default: the budget of this process. */
  readonly budget?: Budget | undefined
  /** Default: what executables of ours may have. */
  readonly env?: Readonly<Record<string, string>>
  /** What runs it, such as a sandbox, with what that reads; descriptors 9 and 10 have to get through. */
  readonly within?: Wrapper | undefined
}

export interface Wrapper extends Pick<SpawnOptions, 'given' | 'shared' | 'listener'> {
  /** Stands before the command line. */
  readonly command: readonly string[]
}

export interface PlumbChild<SomeChild = Child> {
  readonly child: SomeChild
  /** What it may do from now on. */
  renew(authority: unknown): void
}

/** Our children get all spec texts over this descriptor, so that they see what we saw. */
const SOURCES_FD = 9

/** Starts one with `--sources-fd`: it calls `openBootstrap` there. */
export const spawnPlumb = (options: PlumbChildOptions): Result<PlumbChild> => start(options, spawnChild)

/** The same for who only wants lines of it. */
export const spawnPlumbLines = (options: PlumbChildOptions): Result<PlumbChild<LineChild>> => start(options, spawnLines)

const start = <SomeChild extends LineChild>(
  options: PlumbChildOptions,
  spawn: (options: SpawnOptions) => Result<SomeChild>,
): Result<PlumbChild<SomeChild>> => {
  const { program, args, files, entry, authority, agent, fds = {}, cwd, env, within } = options
  const budget = options.budget ?? currentBudget()
  const member = budget?.join()
  const budgeted = member ? ['--budget-fd', `${BUDGET_FD}:${member.name}`] : []
  // A sandbox has no way to the directory: what its agents ask is asked again, where the call itself is.
  const kept = program === 'plumb-tool' || within ? undefined : currentKept()
  const keeping = kept ? ['--kept-fd', String(KEPT_FD)] : []
  const sources = [...budgeted, ...keeping, '--sources-fd', String(SOURCES_FD)]
  // plumb-tool has its spec before the word that says what to do.
  const line = program === 'plumb-tool' ? [...sources, entry, ...args] : [...args, ...sources, '--', entry]
  const launcher = siblingProgram(program)
  const main = join(launcher, '../../dist/main.cjs')
  // A sandbox may have another Node than ours, and other descriptors.
  const isDirect = !within && existsSync(main)
  const theirs = env ?? childEnv('ours')
  const child = spawn({
    command: isDirect ? [process.execPath, main, ...line] : [...(within?.command ?? []), launcher, ...line],
    env: isDirect ? { ...theirs, ...inheritedFdEnv(Object.keys(fds)) } : theirs,
    given: within?.given ?? {},
    ...(within?.listener ? { listener: within.listener } : {}),
    shared: {
      ...options.shared,
      ...within?.shared,
      ...(budget ? { [BUDGET_FD]: budget.fd } : {}),
      ...(kept ? { [KEPT_FD]: kept.fd } : {}),
    },
    fds: { ...fds, [SOURCES_FD]: 'in' },
    isForeign: false,
    ...(cwd === undefined ? {} : { cwd }),
  })
  if (!child.ok) {
    member?.leave()
    return child
  }
  if (member) void child.value.exited.then(member.leave)
  const bootstrap = child.value.fds.get(SOURCES_FD) as LineSink
  // To a child that reads none only the last one waits.
  let latest: string | undefined
  const flush = (): void => {
    if (latest === undefined || bootstrap.writableLength > 0) return
    const line = latest
    latest = undefined
    bootstrap.write(Buffer.from(line), flush)
  }
  bootstrap.write(Buffer.from(bootstrapLine(files.bundle(entry), { authority, agent })), flush)
  const renew = (next: unknown): void => {
    latest = renewalLine(next)
    flush()
  }
  return { ok: true, value: { child: child.value, renew } }
}

/** Another executable of this project: beside this one, as in the source tree and in an installation, else on PATH. */
export const siblingProgram = (name: PlumbProgram): string => {
  const beside = [join(__dirname, '../../', name, 'bin', name), join(__dirname, '../bin', name)]
  return beside.find((path) => existsSync(path)) ?? name
}
