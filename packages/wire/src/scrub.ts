// Removes keys from everything that is reported, logged or emitted, by their values and wherever they occur.

// Shorter values are not keys, and would hide innocent text.
const MIN_SECRET_LENGTH = 8

const SECRET_NAME = /(^|_)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(_|$)|APIKEY/i

/** Whether a variable of this name holds a key. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name)

let secrets: string[] | undefined

/** Replaces the values of variables that are named like keys, and added ones, by `***`. */
export const scrub = (text: string): string => {
  secrets ??= fromEnvironment()
  let clean = text
  for (const secret of secrets) if (clean.includes(secret)) clean = clean.replaceAll(secret, '***')
  return clean
}

export interface ScrubbedHead {
  readonly head: string
  /** Nothing of the text is left out. */
  readonly isWhole: boolean
}

/** The beginning of a text that is cut, some `length` units of it: without keys, and without the beginning of one that goes on after the cut. */
export const scrubHead = (text: string, length: number): ScrubbedHead => {
  secrets ??= fromEnvironment()
  const longest = secrets[0]?.length ?? 0
  const isWhole = text.length <= length + longest
  const clean = scrub(text.slice(0, length + longest))
  return { head: isWhole ? clean : clean.slice(0, clean.length - longest), isWhole }
}

/** Adds a key that does not come from the environment, such as a `token` in a spec. Returns what forgets it again. */
export const addSecret = (value: string): (() => void) => {
  secrets ??= fromEnvironment()
  const forms = formsOf(value)
  secrets.push(...forms)
  // Longer keys first, so that no rest stays of a key that contains another.
  secrets.sort((a, b) => b.length - a.length)
  return () => {
    for (const form of forms) {
      const at = secrets?.indexOf(form) ?? -1
      if (at >= 0) secrets?.splice(at, 1)
    }
  }
}

const fromEnvironment = (): string[] => {
  const values = Object.entries(process.env).flatMap(([name, value]) => (value !== undefined && isSecretName(name) ? formsOf(value) : []))
  return values.sort((a, b) => b.length - a.length)
}

// As it is, as it is written inside a JSON string, also of JSON that is one itself, and in a URL.
const formsOf = (value: string): string[] => {
  if (value.length < MIN_SECRET_LENGTH) return []
  const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)
  const inQuery = new URLSearchParams([['', value]]).toString().slice(1)
  const once = inJson(value)
  const twice = inJson(once)
  return [...new Set([value, once, twice, inJson(twice), inQuery, inQuery.replaceAll('+', '%20'), inPath(value)])]
}

const inPath = (value: string): string => {
  try {
    return encodeURIComponent(value)
  } catch {
    // Half of a surrogate pair.
    return value
  }
}
