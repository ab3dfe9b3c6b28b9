// npx, uvx and their like fetch a program and keep it in the home folder: here in one of plumb's own, another for each command line.

import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fail, preview, type Result, succeed, systemReason } from '@plumb/wire'
import { sandboxCacheFolder } from './sandbox-cache.js'

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
