// A regular expression that takes linear time, whatever it is and whatever it is tried on (RE2).

import { fail, preview, type Result, succeed } from '@plumb/wire'

export interface LineExpression {
  /** Whether any line of a text may fit: quick, and true where it cannot be said. */
  readonly mayFit: (text: string) => boolean
  /** Without its end. */
  readonly fits: (line: string) => boolean
}

const MAX_PATTERN = 10_000

export const readExpression = async (pattern: string, isCaseless: boolean): Promise<Result<LineExpression>> => {
  if (pattern.length > MAX_PATTERN) return fail('input_type_mismatch', `the pattern is longer than ${MAX_PATTERN} characters`)
  const { RE2JS } = await import('re2js')
  const flags = isCaseless ? RE2JS.CASE_INSENSITIVE : 0
  try {
    const line = RE2JS.compile(pattern, flags)
    // Lines of a text are as texts of their own, unless they end with CR or the pattern speaks of the text.
    const whole = /\\[Az]/.test(pattern) ? undefined : RE2JS.compile(pattern, flags | RE2JS.MULTILINE)
    return succeed({
      mayFit: (text) => whole === undefined || text.includes('\r') || whole.matcher(text).find(),
      fits: (text) => line.matcher(text).find(),
    })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return fail('input_type_mismatch', `'${preview(pattern)}' is no regular expression of RE2 (no look-around, no back-references): ${why}`)
  }
}
