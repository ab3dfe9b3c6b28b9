// Protected paths below roots: no tool may use keys and credentials; writing tools may also not touch what other programs run or trust when
// they start, what would make a git repository, and temporary files of plumb.

import { dirname, join, relative, sep } from 'node:path'
import { findLinkStat, readBeginning } from './look-up.js'
import { foldName, trustedBy } from './trusted-names.js'

const SECRET_NAMES: readonly RegExp[] = [
  /^\.env(\.(?!(example|sample|template|dist)$).*)?$/,
  /^\.envrc$/,
  /\.(pem|key|p12|pfx|jks|keystore|kdbx)$/,
  /^id_[a-z0-9_-]+$/,
  /^\.(netrc|npmrc|pypirc|pgpass|gitconfig|git-credentials|dockercfg|htpasswd)$/,
]
const SECRET_DIRECTORIES = new Set(['.ssh', '.gnupg', '.aws', '.kube', '.azure', '.gcloud', '.docker'])

const isSecret = (name: string): boolean => SECRET_DIRECTORIES.has(name) || SECRET_NAMES.some((pattern) => pattern.test(name))

/** Why a path may not be read; undefined if it may. `components` are those below the root. A root with such a name allows its contents. */
export const whyNotReadable = (components: readonly string[], rootName: string): string | undefined => {
  const why = whySecret(components, rootName)
  return why === undefined ? undefined : `${why}; a root that names it allows it`
}

/** The same without the hint about roots. */
export const whySecret = (components: readonly string[], rootName = ''): string | undefined => {
  const names = components.map(foldName)
  const name = isSecret(foldName(rootName)) ? undefined : components[names.findIndex(isSecret)]
  if (name !== undefined) return `'${name}' is kept from tools, since such files hold keys`
  return isConfigOfGit(names) ? "the configuration below '.git' may hold keys in its addresses" : undefined
}

// Includes submodules, worktrees and bare repositories.
const isConfigOfGit = (names: readonly string[]): boolean =>
  /^config(\.worktree)?$/.test(names.at(-1) ?? '') && names.slice(0, -1).some((name) => name.endsWith('.git'))

/** Prefix of our temporary files. A later run may rename them into place, so tools must not write them. */
export const TEMPORARY_PREFIX = '.plumb-'

/** By its name: of a test with recorded models. */
export const isRecordedAnswers = (name: string): boolean => /\.answers\.jsonl(\.batches)?$/.test(foldName(name))

export const whyNotWritable = (components: readonly string[], rootName: string): string | undefined => {
  if (components.some((name) => name.startsWith(TEMPORARY_PREFIX)))
    return `names that begin with '${TEMPORARY_PREFIX}' are for files that are being written`
  if (components.some(isRecordedAnswers))
    return `'${components.at(-1)}' is kept from writers, since 'plumb test' believes the answers in it`
  const ofRoot = trustedBy(foldName(rootName))
  const trusted = components.find((name) => {
    const owner = trustedBy(foldName(name))
    return owner !== undefined && owner !== ofRoot
  })
  if (trusted !== undefined) {
    return (
      `'${trusted}' is kept from writers, since ${trustedBy(foldName(trusted))} would ` +
      'run or trust what is there; a root that names it allows it'
    )
  }
  return whyNotReadable(components, rootName)
}

const hasIn =
  (directory: string, written: ReadonlySet<string>) =>
  (name: string): boolean =>
    written.has(name.toLowerCase()) || findLinkStat(join(directory, name)) !== undefined

/** The directory at or below `root` that is a repository, or would be once all of `written` (absolute, below `root`) exist. */
export const repositoryWith = (root: string, written: readonly string[]): string | undefined => {
  return [...firstsOf(root, written)].find(([directory, names]) => isRepository(directory, names))?.[0]
}

/** By directory, the names in it that are on the way to `written`. */
const firstsOf = (root: string, written: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> => {
  const firsts = new Map<string, Set<string>>()
  for (const path of written) {
    for (let at = path; at !== root && at !== dirname(at); at = dirname(at)) {
      const directory = dirname(at)
      const names = firsts.get(directory) ?? new Set()
      firsts.set(directory, names.add(foldName(relative(directory, at))))
    }
  }
  return firsts
}

/** Of a directory in which answers are kept (--cache). */
const CACHE_MARK = '.plumb-answers'

/**
 * The directory below `root`, or `root` itself, in which plumb keeps what it believes later: the record of a run, or answers of models; as
 * it is, or would be once all of `written` exist. Its contents are meant too.
 */
export const keptDirectoryWith = (root: string, written: readonly string[]): string | undefined => {
  const firsts = firstsOf(root, written)
  return [...firsts].find(([directory, names]) => isKept(directory, names))?.[0]
}

/** `written`: names that would be there too. */
export const isKept = (directory: string, written: ReadonlySet<string> = new Set()): boolean => {
  const has = hasIn(directory, written)
  if (has(CACHE_MARK)) return true
  if (!has('answers.jsonl') && !has('approvals.jsonl')) return false
  return written.has('run.json') || readBeginning(join(directory, 'run.json'), RUN_FILE.length) === RUN_FILE
}

/** How the file that makes a record of a directory begins. */
const RUN_FILE = '{\n  "format": 1,\n  "plumb": '

/** Relative to the root, for messages. */
export const shownDirectory = (root: string, directory: string): string => relative(root, directory).split(sep).join('/') || '.'

/** `written`: names that would be there too. */
export const isRepository = (directory: string, written: ReadonlySet<string> = new Set()): boolean => {
  const has = hasIn(directory, written)
  return has('HEAD') && ((has('objects') && has('refs')) || has('commondir'))
}
