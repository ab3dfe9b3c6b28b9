// The token usage that others report: an invalid count is taken for the maximum, so that it cannot disable a budget.

/** More than any model reads or writes in one call. */
export const MAX_CALL_TOKENS = 10_000_000

const FIELDS = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_creation_tokens'] as const

export type TokenCounts = { readonly [Field in (typeof FIELDS)[number]]: number }

export const isTokenCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_CALL_TOKENS

/** The usage that a program reported, with valid counts. Counts of the cache may be missing; `flaws` names the invalid ones. */
export const readUsage = <Usage extends object>(reported: Usage): { usage: Usage & TokenCounts; flaws: readonly string[] } => {
  const given = reported as { readonly [Field in (typeof FIELDS)[number]]?: unknown }
  const flaws: string[] = []
  const countOf = (field: (typeof FIELDS)[number]): number => {
    const value = given[field] ?? (field.startsWith('cache') ? 0 : undefined)
    if (isTokenCount(value)) return value
    flaws.push(field)
    return MAX_CALL_TOKENS
  }
  const counts = Object.fromEntries(FIELDS.map((field) => [field, countOf(field)])) as TokenCounts
  return { usage: { ...reported, ...counts }, flaws }
}

export const totalTokens = (counts: TokenCounts): number => FIELDS.reduce((sum, field) => sum + counts[field], 0)
