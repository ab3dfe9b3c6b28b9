// Patches to apply, and what is in a directory afterwards.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The text of a patch with these lines between its first and its last. */
export const patchOf = (...lines: readonly string[]): string => ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n')

/** All files below, by path. */
export const contents = (directory: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [join(parentPath, name).slice(directory.length + 1), readFileSync(join(parentPath, name), 'utf8')]),
  )
