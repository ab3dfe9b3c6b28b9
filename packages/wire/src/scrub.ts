// Keeps keys out of everything that is reported, logged or emitted, by their values and wherever they stand.

// Shorter values would hide innocent text, and are no keys.
const MIN_SECRET_LENGTH = 8

const SECRET_NAME = /(^|_)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(_|$)|APIKEY/i

/** Whether a variable of this name holds a key. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name)

let secrets: string[] | undefined

/** Replaces the values of variables that are named like keys, and those that were added, by `***`. */
export const scrub = (text: string): string => {
  secrets ??= fromEnvironment()
  let clean = text
  for (const secret of secrets) if (clean.includes(secret)) clean = clean.replaceAll(secret, '***')
  return clean
}

/** For keys that come from elsewhere than the environment, such as a `token` in a spec. */
export const addSecret = (value: string): void => {
  secrets ??= fromEnvironment()
  secrets.push(...formsOf(value))
  // A key that contains another goes first, so that no rest of it stays.
  secrets.sort((a, b) => b.length - a.length)
}

const fromEnvironment = (): string[] => {
  const values = Object.entries(process.env).flatMap(([name, value]) => (value !== undefined && isSecretName(name) ? formsOf(value) : []))
  return values.sort((a, b) => b.length - a.length)
}

// As it is, and as it stands inside a JSON string.
const formsOf = (value: string): string[] =>
  value.length < MIN_SECRET_LENGTH ? [] : [...new Set([value, JSON.stringify(value).slice(1, -1)])]
