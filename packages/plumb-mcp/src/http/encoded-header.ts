// Values of headers that are no plain ASCII stand in base64 between two marks (MCP 2026-07-28, Value Encoding).

const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/

/** Undefined: it is marked as encoded, and is not. */
export const decodeHeader = (value: string): string | undefined => {
  if (!value.startsWith('=?base64?')) return value
  const [, encoded] = ENCODED.exec(value) ?? []
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8')
}
