// What a server asks to be waited before the next attempt.

/** A longer wait than this is not sat out: the own backoff holds then, as in the official SDKs. */
const LONGEST_MS = 60_000

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Undefined where the header is absent, says nothing, lies in the past or asks for more than a minute. */
export const readRetryAfter = (headers: Headers, wallMs: number): number | undefined => {
  const ms = asNumber(header(headers, 'retry-after-ms')) ?? seconds(header(headers, 'retry-after'), wallMs)
  return ms !== undefined && ms >= 0 && ms <= LONGEST_MS ? ms : undefined
}

const seconds = (text: string, wallMs: number): number | undefined => {
  const number = asNumber(text)
  if (number !== undefined) return number * 1000
  // Only what begins like a day: Date.parse makes a date of nearly anything.
  return /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) - wallMs : undefined
}

const asNumber = (text: string): number | undefined => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined)

/** One value of a header, trimmed; empty where it is absent. */
export const header = (headers: Headers, name: string): string => {
  const value = headers[name]
  return (Array.isArray(value) ? (value[0] ?? '') : (value ?? '')).trim()
}
