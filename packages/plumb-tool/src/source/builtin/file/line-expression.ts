// A regular expression of RE2 for single lines, and quick tests that spare most texts from it.

import { fail, preview, type Result, succeed } from '@plumb/wire'

export interface LineExpression {
  /** A quick test whether any line of a text may match; true if unknown. */
  readonly mayFit: (text: string) => boolean
  /** Where the first match in a line without its newline begins; -1: none. */
  readonly find: (line: string) => number
}

const MAX_PATTERN = 10_000

export const readExpression = async (pattern: string, isCaseless: boolean): Promise<Result<LineExpression>> => {
  if (pattern.length > MAX_PATTERN) return fail('input_type_mismatch', `the pattern is longer than ${MAX_PATTERN} characters`)
  if (namesNewline(pattern))
    return fail('input_type_mismatch', `'${preview(pattern)}' matches no line: lines are searched one by one, and none holds a newline`)
  const { RE2JS } = await import('re2js')
  const flags = isCaseless ? RE2JS.CASE_INSENSITIVE : 0
  try {
    const line = RE2JS.compile(pattern, flags)
    // Multiline search equals a search line by line, unless lines end with CR or the pattern has \A or \z.
    const whole = /\\[Az]/.test(pattern) ? undefined : RE2JS.compile(pattern, flags | RE2JS.MULTILINE)
    const holds = literalTest(pattern, isCaseless)
    return succeed({
      mayFit: (text) => holds(text) && (whole === undefined || text.includes('\r') || whole.matcher(text).find()),
      find: (text) => {
        const matcher = line.matcher(text)
        return matcher.find() ? matcher.start() : -1
      },
    })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return fail(
      'input_type_mismatch',
      `'${preview(pattern)}' is not a regular expression of RE2: expected one without look-around and back-references: ${why}`,
    )
  }
}

// But for what leaves it out, such as [^\n].
const namesNewline = (pattern: string): boolean => {
  const open = pattern.replace(/\[\^(?:\\.|[^\]\\])*\]/gs, '')
  return open.includes('\n') || /(?<!\\)(?:\\\\)*\\(?:n|x0[aA]|x\{0*[aA]\}|012)/.test(open)
}

/** Native search for a text that each match holds is a hundred times faster. */
const literalTest = (pattern: string, isCaseless: boolean): ((text: string) => boolean) => {
  const literal = requiredLiteral(pattern)
  if (literal.length < MIN_LITERAL) return () => true
  if (!isCaseless) return (text) => text.includes(literal)
  const expression = new RegExp(literal.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'iu')
  return (text) => expression.test(text)
}

const MIN_LITERAL = 2

/** The longest text that is in every match, as far as it is plain to see; empty if none is. */
const requiredLiteral = (pattern: string): string => {
  if (/[([|]|\\[QExpP0-9]/.test(pattern.replace(/\\[([|\\]/g, ''))) return ''
  let [longest, run] = ['', '']
  const end = (text: string): void => {
    if (text.length > longest.length) longest = text
    run = ''
  }
  for (const [token] of pattern.matchAll(/\\.|\{[\d,]*\}|./gsu)) {
    if (/^(?:[*?]|\{.*\})$/.test(token)) end([...run].slice(0, -1).join(''))
    else if (/^(?:[.^$+]|\\[A-Za-z0-9])$/.test(token)) end(run)
    else run += token.startsWith('\\') ? token.slice(1) : token
  }
  end(run)
  return longest
}
