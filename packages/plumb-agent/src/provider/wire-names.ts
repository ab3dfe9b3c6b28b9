// Converts tool names to a provider's form and back: `prefix:name` and `Module.name` are not valid there.

export interface WireNames {
  readonly toWire: (name: string) => string
  /** A name that was never offered is returned unchanged, except for the prefix of a known server or module. */
  readonly toOwn: (name: string) => string
}

/** The maximum of both APIs for such names. */
const MAX_LENGTH = 64
const TAKEN_AS_IT_IS = /^[A-Za-z0-9_-]{1,64}$/

/** The same names in the same order give the same result, so that a cached prompt stays valid. */
export const wireNames = (names: readonly string[]): WireNames => {
  if (names.length === 0) return NONE
  const wire = new Map<string, string>()
  const own = new Map<string, string>()
  const give = (name: string, given: string): void => {
    wire.set(name, given)
    own.set(given, name)
  }
  // Valid names stay unchanged, whatever the others become.
  for (const name of names) if (TAKEN_AS_IT_IS.test(name)) give(name, name)
  for (const name of names) {
    if (wire.has(name)) continue
    const base = baseOf(name)
    let given = base.slice(0, MAX_LENGTH)
    for (let n = 2; own.has(given); n++) given = `${base.slice(0, MAX_LENGTH - 1 - String(n).length)}_${n}`
    give(name, given)
  }
  const prefixes = new Map(names.flatMap((name) => prefixOf(name).map((prefix) => [baseOf(prefix), prefix])))
  return {
    toWire: (name) => wire.get(name) ?? (TAKEN_AS_IT_IS.test(name) ? name : baseOf(name).slice(0, MAX_LENGTH)),
    toOwn: (name) => own.get(name) ?? withPrefix(name, prefixes),
  }
}

const NONE: WireNames = { toWire: (name) => (TAKEN_AS_IT_IS.test(name) ? name : baseOf(name).slice(0, MAX_LENGTH)), toOwn: (name) => name }

const baseOf = (name: string): string => name.replaceAll(/[:.]/g, '__').replaceAll(/[^A-Za-z0-9_-]/g, '_') || 'tool'

/** Including the separator: `ldc:`, `Fs.`. */
const prefixOf = (name: string): readonly string[] => {
  const end = name.search(/[:.]/)
  return end < 1 ? [] : [name.slice(0, end + 1)]
}

// A prefix may itself contain two underscores: each occurrence may be its end.
const withPrefix = (name: string, prefixes: ReadonlyMap<string, string>): string => {
  for (let at = name.indexOf('__', 1); at > 0; at = name.indexOf('__', at + 1)) {
    const prefix = prefixes.get(name.slice(0, at + 2))
    if (prefix !== undefined && at + 2 < name.length) return prefix + name.slice(at + 2)
  }
  return name
}
