// Rules of .gitignore and .ignore files.

import type { Ignore } from 'ignore'
import { closeQuietly, openFile } from './open.js'
import type { ResolvedPath } from './resolved-path.js'
import { childPath } from './resolved-path.js'

/** The later file overrides the earlier one. */
const IGNORE_FILES = ['.gitignore', '.ignore']
const MAX_BYTES = 1024 * 1024

/** One ignore file and the directory that its patterns are relative to, as `a/b/`. */
export interface IgnoreRules {
  readonly base: string
  readonly rules: Ignore
}

/** The rules of one directory. */
export const readRules = async (directory: ResolvedPath, base: string): Promise<IgnoreRules[]> => {
  const { default: ignore } = await import('ignore')
  const texts = await Promise.all(IGNORE_FILES.map((name) => readText(childPath(directory, name))))
  return texts.flatMap((text) => (text === undefined ? [] : [{ base, rules: ignore().add(text) }]))
}

/** The innermost file with a matching rule decides, as in git. A path of a directory ends with a slash. */
export const isIgnored = (path: string, all: readonly IgnoreRules[]): boolean => {
  for (const { base, rules } of all.toReversed()) {
    const { ignored, unignored } = rules.test(path.slice(base.length))
    if (ignored || unignored) return ignored
  }
  return false
}

/** The rules that apply inside a directory: not those that exclude the directory itself and were overridden. */
export const rulesWithin = (directory: string, all: readonly IgnoreRules[]): readonly IgnoreRules[] =>
  all.filter(({ base, rules }) => !rules.test(directory.slice(base.length)).ignored)

const readText = async (resolved: ResolvedPath): Promise<string | undefined> => {
  const opened = await openFile(resolved)
  if (!opened.ok) return undefined
  const bytes = Buffer.alloc(MAX_BYTES)
  try {
    const { bytesRead } = await opened.value.read(bytes, 0, bytes.length, 0)
    return bytes.toString('utf8', 0, bytesRead)
  } catch {
    return undefined
  } finally {
    await closeQuietly(opened.value)
  }
}
