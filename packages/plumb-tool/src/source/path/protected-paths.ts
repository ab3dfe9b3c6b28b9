// Protected paths below roots: no tool may use keys and credentials; writing tools may also not touch what other programs run or trust when
// they start, what would make a git repository, and temporary files of ours.

import { dirname, join, relative, sep } from 'node:path'
import { findLinkStat } from './look-up.js'
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

export const whyNotWritable = (components: readonly string[], rootName: string): string | undefined => {
  if (components.some((name) => name.startsWith(TEMPORARY_PREFIX)))
    return `names that begin with '${TEMPORARY_PREFIX}' are for files that are being written`
  const ofRoot = trustedBy(foldName(rootName))
  const trusted = components.find((name) => {
    const owner = trustedBy(foldName(name))
    return owner !== undefined && owner !== ofRoot
  })
  if (trusted !== undefined) {
    return (
      `'${trusted}' is kept from writers, since ${trustedBy(foldName(trusted))} would ` +
      'run or trust what stands there; a root that names it allows it'
    )
  }
  return whyNotReadable(components, rootName)
}

/** The directory at or below `root` that is a repository, or would be once all of `written` (absolute, below `root`) exist. */
export const repositoryWith = (root: string, written: readonly string[]): string | undefined => {
  const firsts = new Map<string, Set<string>>()
  for (const path of written) {
    for (let at = path; at !== root && at !== dirname(at); at = dirname(at)) {
      const directory = dirname(at)
      const names = firsts.get(directory) ?? new Set()
      firsts.set(directory, names.add(foldName(relative(directory, at))))
    }
  }
  return [...firsts].find(([directory, names]) => isRepository(directory, names))?.[0]
}

/** Relative to the root, for messages. */
export const shownDirectory = (root: string, directory: string): string => relative(root, directory).split(sep).join('/') || '.'

/** `written`: names that would be there too. */
export const isRepository = (directory: string, written: ReadonlySet<string> = new Set()): boolean => {
  const has = (name: string): boolean => written.has(name.toLowerCase()) || findLinkStat(join(directory, name)) !== undefined
  return has('HEAD') && ((has('objects') && has('refs')) || has('commondir'))
}
