// What a sandboxed program may read: the mounts of a sandbox that no call changes, planned once and used again while the files are the same.

import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import { isWithin } from '../path/look-up.js'
import { isLedOut, ledOut } from './docroot-links.js'
import {
  findInstallation,
  listNodeModules,
  listPathDirectories,
  listProgramPaths,
  listVersionFiles,
  SYSTEM_DIRECTORIES,
} from './installation.js'
import { Mounts } from './mounts.js'
import { exists, type Noted, noteLooks, realPathOf } from './noted-looks.js'
import { findRootOnlyFiles } from './root-only-files.js'
import type { Sandbox } from './sandbox.js'
import { isTooBroad } from './shared-directories.js'
import { listScriptPaths } from './spec-scripts.js'

export interface ReadRequest {
  /** Absolute. */
  readonly program: string
  readonly cwd: string
  /** Of the program. */
  readonly env: Readonly<Record<string, string>>
  readonly visible: readonly string[]
  readonly words: readonly string[]
}

export interface ReadPlan {
  /** Not to be changed: a copy may be. */
  readonly mounts: Mounts
  /** A real path; the docroot where there is no such directory. */
  readonly cwd: string
}

interface Kept {
  readonly request: string
  readonly hidden: ReturnType<typeof findRootOnlyFiles>
  readonly plan: Noted<Result<ReadPlan>>
}

/** The last one of each sandbox, which is that of a tool: most have one program in one directory. */
const kept = new WeakMap<Sandbox, Kept>()

export const planReads = (sandbox: Sandbox, request: ReadRequest): Result<ReadPlan> => {
  const { program, cwd, env, visible, words } = request
  const asked = JSON.stringify([program, cwd, visible, words, env.PATH, CERTIFICATES.map((name) => env[name])])
  const before = kept.get(sandbox)
  const hidden = findRootOnlyFiles()
  if (before?.request === asked && before.hidden === hidden && before.plan.isStillSo()) return before.plan.value
  const plan = noteLooks(() => makePlan(sandbox, request))
  kept.set(sandbox, { request: asked, hidden, plan })
  return plan.value
}

const CERTIFICATES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']
const GIT_CONFIGURATION = ['.gitconfig', '.config/git/config', '.config/git/ignore', '.config/git/attributes']
const TEMPORARY = ['/tmp', '/var/tmp']

const makePlan = (sandbox: Sandbox, request: ReadRequest): Result<ReadPlan> => {
  const { docroot, hasNet } = sandbox
  const mounts = new Mounts(docroot)
  mountSystem(mounts, sandbox.memory?.bytes)
  mounts.put(docroot, { kind: 'read' })
  const cwd = mounts.reach(request.cwd) ?? docroot
  for (const path of listNeededPaths(request, docroot)) mounts.read(path)
  for (const path of sandbox.read) mounts.read(path)
  // /etc/resolv.conf is often a link into /run.
  if (hasNet) mounts.read('/etc/resolv.conf')
  for (const socket of sandbox.sockets) {
    if (isLedOut(socket, docroot)) return fail('permission_denied', ledOut(socket, 'sockets'))
    if (exists(socket)) mounts.read(socket)
    else return fail('file_not_found', `'${preview(socket)}' in 'sockets' of a sandbox does not exist: is its service running?`)
  }
  return succeed({ mounts, cwd })
}

// Each takes what `memory` gives at most, and all of them are counted together while it runs.
const mountSystem = (mounts: Mounts, bytes: number | undefined): void => {
  for (const directory of SYSTEM_DIRECTORIES) mounts.read(directory)
  for (const { path, isDirectory } of findRootOnlyFiles()) mounts.put(path, { kind: 'hide', isDirectory })
  mounts.put('/proc', { kind: 'proc' })
  mounts.put('/dev', { kind: 'dev', bytes })
  mounts.read('/sys/devices/system/cpu')
  for (const directory of TEMPORARY) mounts.put(directory, { kind: 'temporary', bytes })
}

// That of the one executable file is a link to it, beside the programs that the file has unpacked.
const listNodePaths = (docroot: string): readonly string[] => {
  const { execPath } = process
  return [...(realPathOf(execPath) === execPath ? [] : [dirname(execPath)]), ...findInstallation(execPath, docroot)]
}

const listNeededPaths = ({ program, visible: named, words, cwd, env }: ReadRequest, docroot: string): readonly string[] => {
  const visible = [...named, ...listScriptPaths(words, cwd, docroot)]
  return [
    ...listProgramPaths(program, docroot),
    ...listNodePaths(docroot),
    ...listPathDirectories(env.PATH ?? '', docroot),
    ...visible.filter((path) => !isTooBroad(realPathOf(path))),
    // What is written to in the docroot could become a link to something else meanwhile.
    ...listNodeModules([docroot, ...visible]).map((path) => (isWithin(docroot, path) ? realPathOf(path) : path)),
    ...listVersionFiles(docroot),
    ...GIT_CONFIGURATION.map((name) => join(homedir(), name)),
    ...CERTIFICATES.flatMap((name) => env[name] ?? []),
  ]
}
