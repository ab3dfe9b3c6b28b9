// Builds the bubblewrap command line for a sandbox, with the contents of the descriptors that bubblewrap reads.

import { closeSync, existsSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { type Exit, fail, fault, preview, type Result, succeed, type Wrapper } from '@plumb/wire'
import { listEntries, toRealPath } from '../path/look-up.js'
import { isWithin } from '../path/resolved-path.js'
import { ARGUMENTS_FD, argumentBytes, FILTER_FD, FIRST_DIRECTORY_FD, UNSHARED } from './bubblewrap-options.js'
import { findMissingAccess, listRefusals, type OutsideEntry } from './missing-access.js'
import type { Mounts } from './mounts.js'
import type { ConnectPolicy } from './net/connect-host.js'
import { openSandboxNet, type SandboxNet } from './net/sandbox-net.js'
import { openBeneath } from './open-beneath.js'
import { planReads } from './read-plan.js'
import { findRootOnlyFiles } from './root-only-files.js'
import type { Sandbox } from './sandbox.js'
import { makeLauncherHome } from './sandbox-cache.js'
import { assembleFilter } from './seccomp/filter.js'
import { homes, isTooBroad } from './shared-directories.js'

export interface SandboxedProgram {
  /** The command line; the program is an absolute path. What the program needs to run is mounted. */
  readonly program: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** More files and directories to mount for reading, such as the directory of the spec. */
  readonly visible: readonly string[]
  /** Words of the spec, not of a call: the scripts among them are mounted with what they are installed in. */
  readonly words?: readonly string[]
  /** Absolute paths that stay read-only inside writable directories. */
  readonly programFiles: readonly string[]
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
  /** How the program ended, from how bubblewrap did. */
  readonly toExit: (exit: Exit) => Exit
  /** Closes the descriptors; call it after the child has started. */
  close(): void
}

const UNGRANTED: Pick<ConnectPolicy, 'denies'> = {
  denies: (effect) => (effect === 'net' ? undefined : fault('permission_denied', 'net.private is not granted')),
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
  const { cwd } = plan.value
  const mounts = plan.value.mounts.copy()
  for (const directory of homes()) if (`${directory}/`.startsWith(`${docroot}/`)) hideDotFiles(mounts, directory)
  const written = mountWritable(mounts, sandbox, programFiles, fds)
  if (!written.ok) {
    close()
    return written
  }
  if (home.value !== undefined) mounts.put(home.value, { kind: 'write' })
  if (!mounts.has(cwd)) mounts.put(cwd, { kind: 'empty' })
  const options = [...UNSHARED, ...(hasNet ? [] : ['--unshare-net']), ...mounts.options(), '--remount-ro', '/', '--chdir', cwd]
  const limit = memory ? [memory.prlimit, `--data=${memory.bytes}`, '--'] : []
  const net = hosts && openSandboxNet(hosts, { ...caller, who })
  const bubblewrap = [bwrap, '--args', String(ARGUMENTS_FD), '--seccomp', String(FILTER_FD), '--']
  return succeed({
    // The program that opens the network is ours, so the memory limit does not apply to it.
    command: net ? [...bubblewrap, ...net.command, ...limit] : [...limit, ...bubblewrap],
    given: { [ARGUMENTS_FD]: argumentBytes(options), [FILTER_FD]: assembleFilter(arch, { hasSockets: sandbox.sockets.length > 0 }) },
    shared: Object.fromEntries(fds.map((fd, i) => [FIRST_DIRECTORY_FD + i, fd])),
    env: { ...env, ...net?.env },
    ...(net ? { listener: net.listener } : {}),
    net,
    findMissingAccess: (said) =>
      [net?.missingAccess(), findMissingAccess(said, { sandbox, cwd, find: makeFinder(mounts, sandbox) })]
        .filter((lack) => lack !== undefined)
        .join('; ') || undefined,
    listRefusals: (said) => [...(net?.refusals() ?? []), ...listRefusals(said, { sandbox, cwd, find: makeFinder(mounts, sandbox) })],
    toExit,
    close,
  })
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

/** Mounts writable paths, and the read-only paths below them, each by descriptor so that a path swapped later gains nothing. */
const mountWritable = (mounts: Mounts, { docroot, write, who }: Sandbox, programFiles: readonly string[], fds: number[]): Result<void> => {
  const hold = (components: readonly string[]): number | 'missing' | 'link' => {
    const opened = openBeneath(docroot, components)
    if (opened.kind !== 'open') return opened.kind
    fds.push(opened.fd)
    return FIRST_DIRECTORY_FD + fds.length - 1
  }
  const named = new Set(write.map((components) => join(docroot, ...components)))
  for (const components of distinct(write)) {
    const fd = hold(components)
    const path = join(docroot, ...components)
    if (typeof fd === 'string')
      return fail('file_not_found', `'${preview(path)}' in 'write' of a sandbox is not there any more, or is a link now`)
    mounts.put(path, { kind: 'write', fd })
  }
  const kept = listProtectedPaths(docroot, named, programFiles)
  if (kept.length > MAX_PROTECTED) {
    const why = `${kept.length} files of the program lie below what its sandbox may write, and at most ${MAX_PROTECTED} can be kept as they are`
    return fail('config_invalid', `${who}: ${why}: name narrower directories in 'write'`)
  }
  // A mount point cannot be renamed, so a directory above a protected file cannot be replaced by another one.
  for (const path of new Set(kept.flatMap((path) => listAncestors(path, docroot)))) {
    if (kept.includes(path) || mounts.has(path) || !isWritable(path, docroot, named)) continue
    const fd = hold(relative(docroot, path).split('/'))
    if (typeof fd === 'number') mounts.put(path, { kind: 'write', fd })
  }
  for (const path of kept) {
    const fd = hold(relative(docroot, path).split('/'))
    if (fd === 'missing') continue
    if (fd === 'link')
      return fail(
        'permission_denied',
        `'${preview(path)}' is to stay as it is while a sandbox writes beside it, and leads through a link: put the file itself there`,
      )
    mounts.put(path, { kind: 'keep', fd })
  }
  return succeed(undefined)
}

const distinct = (lists: readonly (readonly string[])[]): readonly (readonly string[])[] => [
  ...new Map(lists.map((list) => [list.join('/'), list])).values(),
]

/** Files of the program, and the .git directories in writable directories and in their direct children. */
const listProtectedPaths = (docroot: string, named: ReadonlySet<string>, programFiles: readonly string[]): readonly string[] => {
  const repositories = [...named]
    .flatMap((directory) => [directory, ...listChildRepositories(directory)])
    .map((directory) => join(directory, '.git'))
  const files = programFiles.map(toRealPath)
  return [...new Set([...repositories, ...files])].filter(
    (path) => isWritable(path, docroot, named) && !named.has(path) && existsSync(path),
  )
}

const isWritable = (path: string, docroot: string, named: ReadonlySet<string>): boolean =>
  path.startsWith(`${docroot}/`) && [docroot, ...listAncestors(path, docroot)].some((directory) => named.has(directory))

/** The ancestors of `path` below the docroot. */
const listAncestors = (path: string, docroot: string): readonly string[] => {
  const found: string[] = []
  for (let directory = dirname(path); directory.startsWith(`${docroot}/`); directory = dirname(directory)) found.push(directory)
  return found
}

const MAX_DIRECTORIES = 200
/** Each of them takes a file descriptor. */
const MAX_PROTECTED = 400

const listChildRepositories = (directory: string): readonly string[] => {
  const entries = listEntries(directory).filter((entry) => entry.isDirectory() && existsSync(join(directory, entry.name, '.git')))
  return entries.slice(0, MAX_DIRECTORIES).map(({ name }) => join(directory, name))
}
