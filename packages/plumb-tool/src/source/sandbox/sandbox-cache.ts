// That a sandbox was started here is kept until the machine starts anew, so that not every process has to try one: for as long as the kernel, the
// user, its namespaces and bubblewrap are the same. Should it not be so any more, the next start fails, and nothing runs without one.

import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync, readlinkSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { fail, preview, type Result, succeed, systemReason } from '@plumb/wire'

/** Where what belongs to sandboxes is kept for the next one. */
export const sandboxCacheFolder = (): string => {
  const cache = process.env.XDG_CACHE_HOME
  return join(cache !== undefined && isAbsolute(cache) ? cache : join(homedir(), '.cache'), 'plumb', 'sandbox')
}

/** `how`: all that it is started with. */
export const hasCachedProbe = (bwrap: string, how: string): boolean => {
  try {
    const file = proofFile()
    return lstatSync(file).uid === process.getuid?.() && readFileSync(file, 'utf8') === stampOf(bwrap, how)
  } catch {
    return false
  }
}

export const cacheProbe = (bwrap: string, how: string): void => {
  try {
    const file = proofFile()
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const fresh = `${file}.${process.pid}`
    writeFileSync(fresh, stampOf(bwrap, how), { flag: 'wx', mode: 0o600 })
    renameSync(fresh, file)
  } catch {
    // Then it is tried again the next time.
  }
}

const proofFile = (): string => join(sandboxCacheFolder(), 'works')

const stampOf = (bwrap: string, how: string): string => {
  const { ino, mtimeMs, size } = statSync(bwrap)
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  const namespaces = ['user', 'pid', 'mnt'].map((name) => readlinkSync(`/proc/self/ns/${name}`))
  return `${[boot, process.getuid?.(), ...namespaces, bwrap, ino, mtimeMs, size, how].join('\n')}\n`
}

const LAUNCHERS: ReadonlySet<string> = new Set(['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bunx', 'bun', 'deno', 'uvx', 'uv', 'pipx'])

/** The folder, which is there then; undefined: the program is none of them. */
export const makeLauncherHome = (words: readonly string[]): Result<string | undefined> => {
  const [program = ''] = words
  if (!LAUNCHERS.has(basename(program))) return succeed(undefined)
  const name = createHash('sha256').update(words.join('\0')).digest('hex').slice(0, NAME_LENGTH)
  const folder = join(sandboxCacheFolder(), name)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return succeed(folder)
  } catch (error) {
    const reason = systemReason(error as NodeJS.ErrnoException)
    return fail(
      'write_failed',
      `'${basename(program)}' needs a folder to keep programs in, and '${preview(folder)}' cannot be made: ${reason}`,
    )
  }
}

const NAME_LENGTH = 16
