// Internal bindings that Node's own modules are built on. Node does not guarantee them, and aborts if they are misused, so they are used
// only in versions in which they were tried. `undefined`: not in this version.

/** By major version, the latest minor version that was tried: the next may differ. */
const LAST_TRIED_MINOR: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  pipe_wrap: { 20: 20, 22: 23, 24: 21 },
  stream_wrap: { 20: 20, 22: 23, 24: 21 },
}

type Binding = Readonly<Record<string, unknown>>

const found = new Map<string, Binding | undefined>()

export const internalBinding = (name: string): Binding | undefined => {
  if (!found.has(name)) found.set(name, isTried(name, process.versions.node) ? find(name) : undefined)
  return found.get(name)
}

export const isTried = (name: string, version: string): boolean => {
  const [major = '', minor] = version.split('.')
  return Number(minor) <= (LAST_TRIED_MINOR[name]?.[major] ?? -1)
}

const find = (name: string): Binding | undefined => {
  const { binding } = process as { binding?: (name: string) => Binding }
  const { noDeprecation } = process
  try {
    // A user with --pending-deprecation can do nothing about the warning.
    process.noDeprecation = true
    return binding?.call(process, name)
  } catch {
    // A Node that does not expose it.
    return undefined
  } finally {
    if (noDeprecation === undefined) delete process.noDeprecation
    else process.noDeprecation = noDeprecation
  }
}
