// Children that are executables of this project: found beside this one, and started with the spec texts that were compiled here.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { inheritedFdEnv } from '../fd/launcher.js'
import type { LineSink } from '../line/stream.js'
import type { Result } from '../result.js'
import { bootstrapLine, renewalLine } from '../spec/bootstrap.js'
import type { SourceFiles } from '../spec/source-files.js'
import { childEnv } from './env.js'
import type { SpawnOptions } from './prepare.js'
import { BUDGET_FD, currentKept, KEPT_FD, type SharedBudget, sharedBudget } from './shared.js'
import { type Child, spawnChild } from './spawn.js'

export type PlumbProgram = 'plumb' | 'plumb-agent' | 'plumb-tool' | 'plumb-mux' | 'plumb-mcp' | 'plumb-chat' | 'plumb-serve'

export interface PlumbChildOptions {
  /** The executables that take a spec. */
  readonly program: 'plumb' | 'plumb-agent' | 'plumb-tool'
  /** Arguments without the spec and the descriptor of the sources, which are added where the program takes them. */
  readonly args: readonly string[]
  readonly files: SourceFiles
  /** The spec file to name: the one that declares what the child runs, in whichever module. */
  readonly entry: string
  /** Its authority; see `Bootstrap`. */
  readonly authority?: unknown
  /** The checked plan that plumb-agent is to run; see `Handover`. */
  readonly agent?: unknown
  /** Descriptors other than 0, 1 and 2, numbered as in the child; 8 and 9 are taken. */
  readonly fds?: Readonly<Record<number, 'in' | 'out'>>
  /** Descriptors of this process that it gets unchanged, by their number in the child. */
  readonly shared?: Readonly<Record<number, number>>
  readonly cwd?: string
  /** Its budget. Default: the budget of this process. */
  readonly budget?: SharedBudget | undefined
  /** What it spends is counted elsewhere. */
  readonly hasNoBudget?: boolean
  /** Default: the environment that our executables may have. */
  readonly env?: Readonly<Record<string, string>>
  /** It reads the spec itself, as it is now. */
  readonly readsSpec?: boolean
  /** As in `SpawnOptions`. */
  readonly graceSeconds?: number
  /** A program that runs it, such as a sandbox, with the files that this reads; descriptors 9 and 10 have to get through. */
  readonly within?: Wrapper | undefined
}

export interface Wrapper extends Pick<SpawnOptions, 'given' | 'shared' | 'listener'> {
  /** Words before the command line. */
  readonly command: readonly string[]
}

export interface PlumbChild {
  readonly child: Child
  /** Renews its authority. */
  renew(authority: unknown): void
}

/** Our children get all spec texts over this descriptor, so that they see the same texts. */
const SOURCES_FD = 9

/** Starts one with `--sources-fd`, on which it calls `openBootstrap`. */
export const spawnPlumb = (options: PlumbChildOptions): Result<PlumbChild> => {
  const { program, args, files, entry, authority, agent, fds = {}, cwd, env, readsSpec = false, within } = options
  const budget = options.hasNoBudget === true ? undefined : (options.budget ?? sharedBudget())
  const member = budget?.join()
  const budgeted = member ? ['--budget-fd', `${BUDGET_FD}:${member.name}`] : []
  // The directory cannot be reached from a sandbox: calls of its agents are approved where the call itself is made.
  const kept = program === 'plumb-tool' || within ? undefined : currentKept()
  const keeping = kept ? ['--kept-fd', String(KEPT_FD)] : []
  const sources = [...budgeted, ...keeping, ...(readsSpec ? [] : ['--sources-fd', String(SOURCES_FD)])]
  // plumb-tool takes the spec before its command.
  const line = program === 'plumb-tool' ? [...sources, entry, ...args] : [...args, ...sources, '--', entry]
  const launcher = siblingProgram(program)
  const main = join(launcher, '../../dist/main.cjs')
  // A sandbox may have another Node and other descriptors.
  const isDirect = !within && existsSync(main)
  const theirs = env ?? childEnv('ours')
  const child = spawnChild({
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
    fds: readsSpec ? fds : { ...fds, [SOURCES_FD]: 'in' },
    isForeign: false,
    graceSeconds: options.graceSeconds,
    ...(cwd === undefined ? {} : { cwd }),
  })
  if (!child.ok) {
    member?.leave()
    return child
  }
  if (member) void child.value.exited.then(member.leave)
  if (readsSpec) return { ok: true, value: { child: child.value, renew: () => {} } }
  const bootstrap = child.value.fds.get(SOURCES_FD) as LineSink
  // If the child reads none, only the last one waits.
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

/** Finds another executable of this project: beside this one, as in the source tree and in an installation, else on PATH. */
export const siblingProgram = (name: PlumbProgram): string => {
  const beside = [join(__dirname, '../../', name, 'bin', name), join(__dirname, '../bin', name)]
  return beside.find((path) => existsSync(path)) ?? name
}
