// Builds the bubblewrap command line for a sandbox, with the contents of the descriptors that bubblewrap reads.

import { closeSync, existsSync, readFileSync, statSync } from 'node:fs'
import { constants, release } from 'node:os'
import { basename, join } from 'node:path'
import { type Exit, fault, preview, type Result, succeed, type Wrapper } from '@plumb/wire'
import type { ConnectPolicy } from '../net/connect-host.js'
import { openSandboxNet, type SandboxNet } from '../net/sandbox-net.js'
import { isWithin, listEntries, toRealPath } from '../path/look-up.js'
import { ARGUMENTS_FD, argumentBytes, FILTER_FD, FIRST_DIRECTORY_FD, UNSHARED } from '../plan/bubblewrap-options.js'
import type { Mounts } from '../plan/mounts.js'
import { planReads } from '../plan/read-plan.js'
import { findRootOnlyFiles } from '../plan/root-only-files.js'
import type { Sandbox } from '../plan/sandbox.js'
import { makeLauncherHome } from '../plan/sandbox-cache.js'
import { homes, isTooBroad } from '../plan/shared-directories.js'
import { type KeptPaths, planWrites } from '../plan/write-plan.js'
import { assembleFilter } from '../seccomp/filter.js'
import { watchGroup } from './group-watch.js'
import { findMissingAccess, listRefusals, type OutsideEntry } from './missing-access.js'

export interface SandboxedProgram {
  /** The command line; the program is an absolute path. What the program needs to run is mounted. */
  readonly program: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** More files and directories to mount for reading, such as the directory of the spec. */
  readonly visible: readonly string[]
  /** Words of the spec, not of a call: the scripts among them are mounted with what they are installed in. */
  readonly words?: readonly string[]
  /** See `protectedProgramFiles`. */
  readonly programFiles: KeptPaths
  /** Decides about hosts if the sandbox lists some; default: `net.private` is not granted. */
  readonly caller?: Pick<ConnectPolicy, 'denies'>
}

export interface SandboxCommand extends Wrapper {
  readonly env: Readonly<Record<string, string>>
  readonly net: SandboxNet | undefined
  /** Given what the failed program printed, the access that it lacked; undefined if none is found. */
  readonly findMissingAccess: (said: string) => string | undefined
  /** Given all that the program printed, what it was refused, be it that it failed or not. */
  readonly listRefusals: (said: string) => readonly string[]
  /** Closes the descriptors; call it after the child has started. */
  close(): void
  /** Says how the program itself ended, once what it must not have changed is put right and its network is closed. */
  follow<Started extends Ends>(child: Started): Started
  /** Takes away what stood for a child that has not started, or that was waited for. */
  settle(): void
}

const UNGRANTED: Pick<ConnectPolicy, 'denies'> = {
  denies: (effect) => (effect === 'net' ? undefined : fault('permission_denied', 'net.private is not granted')),
}

interface Ends {
  readonly pid: number
  kill(signal: NodeJS.Signals): void
  readonly ended: Promise<Exit>
  readonly exited: Promise<Exit>
}

export const buildSandboxCommand = (sandbox: Sandbox, context: SandboxedProgram): Result<SandboxCommand> => {
  const { docroot, hasNet, hosts, memory, bwrap, arch, who } = sandbox
  const { program, programFiles, visible, words = [], caller = UNGRANTED } = context
  const fds: number[] = []
  const close = (): void => {
    for (const fd of fds) closeSync(fd)
  }
  const home = makeLauncherHome(program)
  if (!home.ok) return home
  const env = { ...context.env, TMPDIR: '/tmp', ...(home.value === undefined ? {} : { HOME: home.value }) }
  const plan = planReads(sandbox, { program: program[0] ?? '', cwd: context.cwd, env, visible, words })
  if (!plan.ok) return plan
  const { cwd, mounts } = plan.value
  for (const directory of homes()) if (`${directory}/`.startsWith(`${docroot}/`)) hideDotFiles(mounts, directory)
  const hold = planWrites(mounts, sandbox, programFiles, fds)
  if (!hold.ok) {
    close()
    return hold
  }
  if (home.value !== undefined) mounts.put(home.value, { kind: 'write' })
  if (!mounts.has(cwd)) mounts.put(cwd, { kind: 'empty' })
  const options = [...UNSHARED, ...(hasNet ? [] : ['--unshare-net']), ...mounts.options(), '--remount-ro', '/', '--chdir', cwd]
  const limit = memory ? [memory.prlimit, `--data=${memory.bytes}`, '--'] : []
  let overrun: string | undefined
  const net = hosts && openSandboxNet(hosts, { ...caller, who })
  const bubblewrap = [bwrap, '--args', String(ARGUMENTS_FD), '--seccomp', String(FILTER_FD), '--', ...processLimit()]
  return succeed({
    // The program that opens the network is ours, so the memory limit does not apply to it.
    command: net ? [...bubblewrap, ...net.command, ...limit] : [...limit, ...bubblewrap],
    given: { [ARGUMENTS_FD]: argumentBytes(options), [FILTER_FD]: assembleFilter(arch, { hasSockets: sandbox.sockets.length > 0 }) },
    shared: Object.fromEntries(fds.map((fd, i) => [FIRST_DIRECTORY_FD + i, fd])),
    env: { ...env, ...net?.env },
    ...(net ? { listener: net.listener } : {}),
    net,
    findMissingAccess: (said) =>
      [
        overrun,
        findGuarded(said, hold.value.guarded),
        net?.missingAccess(),
        findMissingAccess(said, { sandbox, cwd, find: makeFinder(mounts, sandbox) }),
      ]
        .filter((lack) => lack !== undefined)
        .join('; ') || undefined,
    listRefusals: (said) => [...(net?.refusals() ?? []), ...listRefusals(said, { sandbox, cwd, find: makeFinder(mounts, sandbox) })],
    close,
    follow: (child) => {
      const unwatch = watchGroup(child.pid, { processes: MAX_PROCESSES, bytes: memory?.bytes }, (why) => {
        overrun = why
        child.kill('SIGKILL')
      })
      const ended = child.ended.then((exit) => {
        unwatch()
        net?.close()
        hold.value.settle()
        return toExit(exit)
      })
      return { ...child, ended, exited: child.exited.then(() => ended) }
    },
    settle: hold.value.settle,
  })
}

const GUARDED = /is a directory|eisdir|file exists|eexist/i

/** The name that a program wanted to make, and that nothing may be at. */
const findGuarded = (said: string, guarded: readonly string[]): string | undefined => {
  const path = GUARDED.test(said) ? guarded.find((one) => said.includes(basename(one))) : undefined
  return path === undefined
    ? undefined
    : `in its sandbox nothing is made at '${preview(path)}', where a later run or git would find and believe it: make it outside of one`
}

/** Processes that a sandbox may have, and threads of all of them. */
const MAX_PROCESSES = 1024
const MAX_THREADS = 8192

/**
 * Set inside, where those of the sandbox alone are counted, by kernels that count them by namespaces. Root is not held by it, nor does bubblewrap
 * need it: then the watch alone ends what starts too many.
 */
const processLimit = (): readonly string[] => {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  const counts = major > 5 || (major === 5 && minor >= 14)
  const prlimit = counts && process.getuid?.() !== 0 ? ['/usr/bin/prlimit', '/bin/prlimit'].find(existsSync) : undefined
  return prlimit === undefined || ownProcessLimit() <= MAX_THREADS ? [] : [prlimit, `--nproc=${MAX_THREADS}`, '--']
}

const ownProcessLimit = (): number => {
  const soft = /^Max processes +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  return soft === undefined || soft === 'unlimited' ? Infinity : Number(soft)
}

/** bubblewrap gives a program that a signal ended the status of a shell: 128 more than its number. */
const toExit = (exit: Exit): Exit => {
  const number = exit.status === null ? 0 : exit.status - 128
  const signal = number > 0 ? Object.entries(constants.signals).find(([, other]) => other === number)?.[0] : undefined
  return signal === undefined ? exit : { status: null, signal: signal as NodeJS.Signals }
}

const makeFinder =
  (mounts: Mounts, { sockets }: Sandbox) =>
  (path: string): OutsideEntry => {
    const real = toRealPath(path)
    // Of another process outside: there is no key that grants it.
    if (isWithin('/proc', real)) return { kind: 'none', isBound: false }
    const stat = statSync(real, { throwIfNoEntry: false })
    if (!stat) return { kind: 'none', isBound: false }
    if (stat.isSocket()) return { kind: 'socket', isBound: sockets.map(toRealPath).includes(real) }
    const isKept = findRootOnlyFiles().some((hidden) => isWithin(hidden.path, real))
    const isBound = isKept || isTooBroad(real) || mounts.shows(real)
    return { kind: stat.isDirectory() ? 'directory' : 'file', isBound }
  }

// If the docroot is the home directory itself, its dot files (settings and keys) are hidden.
const hideDotFiles = (mounts: Mounts, home: string): void => {
  for (const entry of listEntries(home)) {
    const path = join(home, entry.name)
    if (entry.name.startsWith('.') && !entry.isSymbolicLink() && !mounts.has(path)) {
      mounts.put(path, { kind: 'hide', isDirectory: entry.isDirectory() })
    }
  }
}
