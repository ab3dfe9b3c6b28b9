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

/** Adds a key that does not come from the environment, such as a `token` in a spec. */
export const addSecret = (value: string): void => {
  secrets ??= fromEnvironment()
  secrets.push(...formsOf(value))
  // Longer keys first, so that no rest stays of a key that contains another.
  secrets.sort((a, b) => b.length - a.length)
}

const fromEnvironment = (): string[] => {
  const values = Object.entries(process.env).flatMap(([name, value]) => (value !== undefined && isSecretName(name) ? formsOf(value) : []))
  return values.sort((a, b) => b.length - a.length)
}

// As it is, and as it is written inside a JSON string.
const formsOf = (value: string): string[] =>
  value.length < MIN_SECRET_LENGTH ? [] : [...new Set([value, JSON.stringify(value).slice(1, -1)])]
