// The cache directory of sandboxes. It remembers that a sandbox could be started, so that not every process probes: as long as boot, user,
// namespaces and bubblewrap are the same. If the cached answer is stale, the next start fails; nothing ever runs without its sandbox.

import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { homedir, hostname } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { fail, preview, type Result, sha256Of, succeed, systemReason } from '@plumb/wire'

/** `$XDG_CACHE_HOME/plumb/sandbox` or `~/.cache/plumb/sandbox`. */
export const sandboxCacheDirectory = (): string => {
  const cache = process.env.XDG_CACHE_HOME
  return join(cache !== undefined && isAbsolute(cache) ? cache : join(homedir(), '.cache'), 'plumb', 'sandbox')
}

/** `how`: the options that the probe tried. */
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
    // Not cached: the next process probes again.
  }
}

const proofFile = (): string => join(sandboxCacheDirectory(), 'works')

const stampOf = (bwrap: string, how: string): string => {
  const { ino, mtimeMs, size } = statSync(bwrap)
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  const namespaces = ['user', 'pid', 'mnt'].map((name) => readlinkSync(`/proc/self/ns/${name}`))
  return `${[boot, process.getuid?.(), ...namespaces, bwrap, ino, mtimeMs, size, how].join('\n')}\n`
}

/** Whether this was not yet asked today, on this machine, for the same reason; without a cache, in this process. */
export const isFirstToday = (reason: string): boolean => {
  const today = new Date().toISOString().slice(0, 10)
  const name = `warned-${hashOf([hostname(), reason])}-`
  if (warned.has(name + today)) return false
  warned.add(name + today)
  const directory = sandboxCacheDirectory()
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    writeFileSync(join(directory, name + today), '', { flag: 'wx', mode: 0o600 })
    for (const old of readdirSync(directory)) if (old.startsWith(name) && old !== name + today) unlinkSync(join(directory, old))
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EEXIST'
  }
}

const warned = new Set<string>()

const LAUNCHERS: ReadonlySet<string> = new Set(['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bunx', 'bun', 'deno', 'uvx', 'uv', 'pipx'])

/**
 * npx, uvx and the like fetch programs and store them in the home directory: each command line gets a home directory of its own in the cache.
 * Creates and returns it; undefined if the program is not such a launcher.
 */
export const makeLauncherHome = (words: readonly string[]): Result<string | undefined> => {
  const [program = ''] = words
  if (!LAUNCHERS.has(basename(program))) return succeed(undefined)
  const directory = join(sandboxCacheDirectory(), hashOf(words))
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return succeed(directory)
  } catch (error) {
    const reason = systemReason(error as NodeJS.ErrnoException)
    return fail(
      'write_failed',
      `'${basename(program)}' needs a directory to keep programs in, and '${preview(directory)}' cannot be made: ${reason}`,
    )
  }
}

const hashOf = (words: readonly string[]): string => sha256Of(words.join('\0'), 16)
