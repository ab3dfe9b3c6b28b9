// What tools are kept from below their roots: keys and credentials from readers; a repository's inside, the running program and files that are
// just being written from writers.

const SECRET_NAMES: readonly RegExp[] = [
  /^\.env(\.(?!(example|sample|template|dist)$).*)?$/i,
  /^\.envrc$/i,
  /\.(pem|key|p12|pfx|jks|keystore|kdbx)$/i,
  /^id_[a-z0-9_-]+$/i,
  /^\.(netrc|npmrc|pypirc|pgpass|git-credentials|dockercfg|htpasswd)$/i,
]
const SECRET_FOLDERS = new Set(['.ssh', '.gnupg', '.aws', '.kube', '.azure', '.gcloud', '.docker'])

const isSecret = (name: string): boolean => SECRET_FOLDERS.has(name.toLowerCase()) || SECRET_NAMES.some((pattern) => pattern.test(name))

/** Why not; `components` are those below the root. A root that is itself called so allows all that is in it. */
export const keptFromReaders = (components: readonly string[], rootName: string): string | undefined => {
  const name = isSecret(rootName) ? undefined : components.find(isSecret)
  return name === undefined ? undefined : `'${name}' is kept from tools, since such files hold keys; a root that names it allows it`
}

/** What every temporary file of ours is called: what stands in one is put in its place, perhaps by a later run. */
export const OWN_PREFIX = '.plumb-'

export const keptFromWriters = (
  components: readonly string[],
  rootName: string,
  path: string,
  specPaths: ReadonlySet<string>,
): string | undefined => {
  if (components.some((part) => part.toLowerCase() === '.git') && rootName !== '.git') return "tools do not write inside '.git'"
  if (components.some((part) => part.startsWith(OWN_PREFIX)))
    return `names that begin with '${OWN_PREFIX}' are for files that are being written`
  if (specPaths.has(path)) return 'it is part of the program that is running'
  return undefined
}
