// Tool names as providers take them, and back: `prefix:name` and `Module.name` are none there.

export interface WireNames {
  readonly toWire: (name: string) => string
  /** What was never offered comes back as it is. */
  readonly toOwn: (name: string) => string
}

/** Both APIs take 64 characters of these. */
const MAX_LENGTH = 64
const TAKEN_AS_IT_IS = /^[A-Za-z0-9_-]{1,64}$/

/** The same names in the same order become the same, so that a cached prompt stays cached. */
export const wireNames = (names: readonly string[]): WireNames => {
  const wire = new Map<string, string>()
  const own = new Map<string, string>()
  const give = (name: string, given: string): void => {
    wire.set(name, given)
    own.set(given, name)
  }
  // Names that need no change keep themselves, whatever the others would become.
  for (const name of names) if (TAKEN_AS_IT_IS.test(name)) give(name, name)
  for (const name of names) {
    if (wire.has(name)) continue
    const base = name.replaceAll(/[:.]/g, '__').replaceAll(/[^A-Za-z0-9_-]/g, '_') || 'tool'
    let given = base.slice(0, MAX_LENGTH)
    for (let n = 2; own.has(given); n++) given = `${base.slice(0, MAX_LENGTH - 1 - String(n).length)}_${n}`
    give(name, given)
  }
  return { toWire: (name) => wire.get(name) ?? name, toOwn: (name) => own.get(name) ?? name }
}
