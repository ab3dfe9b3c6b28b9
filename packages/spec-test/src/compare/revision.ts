// The files of a spec as they were at a revision of git: read from its objects, so that nothing is checked out.

import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { STANDARD_LIBRARY } from '@plumb/lang'
import {
  diskFiles,
  fail,
  preview,
  type Result,
  readFiles,
  resolveProgram,
  runSync,
  type SourceFiles,
  searchPath,
  succeed,
} from '@plumb/wire'

export interface Revision {
  readonly files: SourceFiles
  /** The text of a file at the revision; of one outside of the repository, as it is. `file_not_found`: it was not there. */
  read(path: string): Result<string>
}

const TIMEOUT_MS = 30_000

/** `near`: a file in the repository. */
export const openRevision = (revision: string, near: string): Result<Revision> => {
  const program = resolveProgram('git', '/', process.env.PATH)
  if (!program.ok) return fail('usage', `--against reads revisions by git: ${program.error.detail}`)
  const directory = dirname(realOf(near))
  const git = (args: readonly string[]): string | undefined => {
    const { status, stdout } = runSync({
      // What a repository configures runs nothing.
      command: [program.value, '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', ...args],
      cwd: directory,
      env: { ...ENV, PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/' },
      timeoutMs: TIMEOUT_MS,
    })
    return status === 0 ? stdout : undefined
  }
  const top = git(['rev-parse', '--show-toplevel'])?.trimEnd()
  if (top === undefined) return fail('usage', `'${preview(near, 200)}' is not in a repository of git, which --against needs`)
  const commit = /^-|[\0\n]/.test(revision) ? undefined : git(['rev-parse', '--verify', '--quiet', `${revision}^{commit}`])?.trim()
  if (commit === undefined) return fail('usage', `git knows no revision '${preview(revision)}'`)
  const root = realOf(top)
  /** The path below the root. Undefined: it lies elsewhere. */
  const ownPath = (path: string): string | undefined => {
    const way = relative(root, realOf(path))
    return way === '..' || way.startsWith('../') ? undefined : way
  }
  const isThere = (own: string): boolean => /^100\d{3} blob /.test(git(['ls-tree', '-z', commit, '--', `:(top,literal)${own}`]) ?? '')
  const read = (path: string): Result<string> => {
    const own = ownPath(path)
    if (own === undefined) return diskFiles([]).read(path)
    const text = isThere(own) ? git(['show', '--no-textconv', `${commit}:${own}`]) : undefined
    return text === undefined
      ? fail('file_not_found', `'${preview(path, 200)}' is not a file at '${preview(revision)}'`, { path })
      : succeed(text)
  }
  const isFile = (path: string): boolean => {
    const own = ownPath(path)
    return own === undefined ? (statSync(path, { throwIfNoEntry: false })?.isFile() ?? false) : isThere(own)
  }
  const files = readFiles({
    readText: read,
    standardLibrary: STANDARD_LIBRARY,
    locate: (name, from) => [dirname(from), ...searchPath()].map((each) => join(each, `${name}.plumb`)).find(isFile),
  })
  return succeed({ files, read })
}

const ENV = { LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', GIT_PAGER: 'cat' }

// A file need not be there any more.
const realOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    const whole = resolve(path)
    return dirname(whole) === whole ? whole : join(realOf(dirname(whole)), basename(whole))
  }
}
