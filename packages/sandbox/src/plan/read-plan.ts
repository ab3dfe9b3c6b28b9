// What a sandboxed program may read: the mounts of a sandbox that no call changes.

import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import { exists, isWithin, toRealPath } from '../path/look-up.js'
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
  readonly mounts: Mounts
  /** A real path; the docroot where there is no such directory. */
  readonly cwd: string
}

const CERTIFICATES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']
const GIT_CONFIGURATION = ['.gitconfig', '.config/git/config', '.config/git/ignore', '.config/git/attributes']
const TEMPORARY = ['/tmp', '/var/tmp']

export const planReads = (sandbox: Sandbox, request: ReadRequest): Result<ReadPlan> => {
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
  return [...(toRealPath(execPath) === execPath ? [] : [dirname(execPath)]), ...findInstallation(execPath, docroot)]
}

const listNeededPaths = ({ program, visible: named, words, cwd, env }: ReadRequest, docroot: string): readonly string[] => {
  const visible = [...named, ...listScriptPaths(words, cwd, docroot)]
  return [
    ...listProgramPaths(program, docroot),
    ...listNodePaths(docroot),
    ...listPathDirectories(env.PATH ?? '', docroot),
    ...visible.filter((path) => !isTooBroad(toRealPath(path))),
    // What is written to in the docroot could become a link to something else meanwhile.
    ...listNodeModules([docroot, ...visible]).map((path) => (isWithin(docroot, path) ? toRealPath(path) : path)),
    ...listVersionFiles(docroot),
    ...GIT_CONFIGURATION.map((name) => join(homedir(), name)),
    ...CERTIFICATES.flatMap((name) => env[name] ?? []),
  ]
}
