// How many tokens a call has used, as others tell it: what is no count is taken for the most it could be, so that no budget is
// switched off by it.

/** More than any model reads or writes in one call. */
export const MAX_CALL_TOKENS = 10_000_000

const FIELDS = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_creation_tokens'] as const

export type TokenCounts = { readonly [Field in (typeof FIELDS)[number]]: number }

export const isTokenCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_CALL_TOKENS

/** Usage that a program has reported, with valid counts. What it says of the cache may be left out; `flaws` names what is no count. */
export const readUsage = <Told extends object>(told: Told): { usage: Told & TokenCounts; flaws: readonly string[] } => {
  const said = told as { readonly [Field in (typeof FIELDS)[number]]?: unknown }
  const flaws: string[] = []
  const countOf = (field: (typeof FIELDS)[number]): number => {
    const value = said[field] ?? (field.startsWith('cache') ? 0 : undefined)
    if (isTokenCount(value)) return value
    flaws.push(field)
    return MAX_CALL_TOKENS
  }
  const counts = Object.fromEntries(FIELDS.map((field) => [field, countOf(field)])) as TokenCounts
  return { usage: { ...told, ...counts }, flaws }
}

export const totalTokens = (counts: TokenCounts): number => FIELDS.reduce((sum, field) => sum + counts[field], 0)
