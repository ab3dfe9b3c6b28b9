// Finds whether sandboxes work on this machine by starting one, once.

import { closeSync, constants, openSync } from 'node:fs'
import { fail, preview, type Result, resolveProgram, runSync, succeed } from '@plumb/wire'
import { archOf, assembleFilter } from '../seccomp/filter.js'
import type { Arch } from '../seccomp/refused-calls.js'
import { ARGUMENTS_FD, argumentBytes, FILTER_FD, FIRST_DIRECTORY_FD, UNSHARED } from './bubblewrap-options.js'
import { SYSTEM_DIRECTORIES } from './installation.js'
import { Mounts } from './mounts.js'
import { cacheProbe, hasCachedProbe } from './sandbox-cache.js'

/** The bubblewrap program and the architecture of its seccomp filter. */
export interface Bubblewrap {
  readonly bwrap: string
  readonly arch: Arch
}

/** By PATH, which decides which bubblewrap is found. */
const cache = new Map<string, Result<Bubblewrap>>()

/** `config_invalid` if sandboxes do not work here; the detail says what is missing. */
export const probeBubblewrap = (): Result<Bubblewrap> => {
  const path = process.env.PATH ?? ''
  const result = cache.get(path) ?? probeOnce()
  cache.set(path, result)
  return result
}

const TRY_TIMEOUT_MS = 10_000
const WORKS_STATUS = 42
/** The kinds of options that a probe tries; a cached answer for others does not count. */
const PROBED = [
  ...UNSHARED,
  '--unshare-net',
  '--ro-bind',
  '--ro-bind-fd',
  '--proc',
  '--dev',
  '--remount-ro',
  '--perms',
  '--size',
  '--tmpfs',
  '--seccomp',
].join(' ')

const probeOnce = (): Result<Bubblewrap> => {
  if (process.platform !== 'linux') return refuse(`there is none for ${process.platform}: it takes Linux`)
  const arch = archOf(process.arch)
  if (!arch) return refuse(`there is no list of system calls for ${process.arch}, only for x64 and arm64`)
  const bwrap = resolveProgram('bwrap', '/', process.env.PATH)
  if (!bwrap.ok) return refuse("'bwrap' (the package bubblewrap) is not on PATH")
  if (hasCachedProbe(bwrap.value, PROBED)) return succeed({ bwrap: bwrap.value, arch })
  const mounts = new Mounts('/')
  for (const directory of SYSTEM_DIRECTORIES) mounts.read(directory)
  mounts.put('/proc', { kind: 'proc' })
  mounts.put('/dev', { kind: 'dev' })
  mounts.put('/var/tmp', { kind: 'temporary', bytes: 4096 })
  mounts.put('/tmp', { kind: 'keep', fd: FIRST_DIRECTORY_FD })
  const options = [...UNSHARED, '--unshare-net', ...mounts.options(), '--remount-ro', '/']
  const directory = openSync('/', constants.O_RDONLY | constants.O_DIRECTORY)
  const { status, stderr } = runSync({
    command: [bwrap.value, '--args', String(ARGUMENTS_FD), '--seccomp', String(FILTER_FD), '--', '/bin/sh', '-c', `exit ${WORKS_STATUS}`],
    env: {},
    given: {
      [ARGUMENTS_FD]: argumentBytes(options),
      [FILTER_FD]: assembleFilter(arch, { hasSockets: false }),
    },
    shared: { [FIRST_DIRECTORY_FD]: directory },
    timeoutMs: TRY_TIMEOUT_MS,
  })
  closeSync(directory)
  if (status !== WORKS_STATUS) return refuse(explainFailure(stderr))
  cacheProbe(bwrap.value, PROBED)
  return succeed({ bwrap: bwrap.value, arch })
}

const refuse = (what: string): Result<never> => fail('config_invalid', what)

const explainFailure = (stderr: string): string => {
  const said = stderr.trim().split('\n').at(-1) ?? ''
  const found = REASONS.find(([words]) => words.some((word) => said.includes(word)))
  return `${found?.[1] ?? 'bubblewrap cannot start one here'}${said === '' ? '' : ` (${preview(said, MAX_SAID)})`}`
}

const MAX_SAID = 200

const REASONS: readonly (readonly [words: readonly string[], reason: string])[] = [
  [['Unknown option'], 'this bubblewrap is too old: it takes 0.10, or one of 0.8 on that has --bind-fd as a fix'],
  [
    ['mount proc'],
    'a /proc of its own cannot be mounted here, as in a container with parts of /proc hidden (Docker: --security-opt systempaths=unconfined)',
  ],
  [
    ['namespace', 'uid map', 'gid map', 'Operation not permitted', 'Permission denied'],
    'user namespaces cannot be made here: the kernel (sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces), AppArmor ' +
      '(kernel.apparmor_restrict_unprivileged_userns) or the container (Docker: --security-opt seccomp=unconfined) holds them back',
  ],
]
