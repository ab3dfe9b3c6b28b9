// What stands behind a chain as other languages wire processes, and how that is written here.

import type { Cursor } from './cursor.js'

export const WIRED = "processes are wired with ';', as in 'a ; b'"
const BESIDE = `${WIRED}; beside each other they are 'a * b', and both have the same input in 'copy ; (a * b) ; merge'`
const BODY = "a body is written 'plumb(input, output) { input ; a ; b ; output }'"

const SIGNS: ReadonlyMap<string, string> = new Map([
  ...['>>>', '>>', '|>', '->', '=>', '==>', '~>', '<|', '<>', '<<', '++', '|', '>', '<', '~', '/', '-', '%', '='].map(
    (sign) => [sign, WIRED] as const,
  ),
  ...['||', '&&', '&', ','].map((sign) => [sign, BESIDE] as const),
  ['{', BODY],
])
const BESIDE_WORDS = new Set(['and', 'or', 'with', 'parallel'])
/** Begin the next declaration, which may stand on the same line. */
const ITEMS = new Set(['use', 'type', 'param', 'test', 'protocol', 'let'])

/** What may follow a chain: another declaration, a statement, a parenthesis, or a comma and options. */
type Place = 'binding' | 'statement' | 'parentheses' | 'list'

/** Ends the parse where a chain goes on as in another language, on the same line. */
export const refuseForeignWiring = (c: Cursor, place: Place): void => {
  const { kind, text, startsLine, span } = c.next
  if (startsLine || (place === 'list' && text === ',')) return
  const isWord = kind === 'identifier' && place === 'binding' && !ITEMS.has(text)
  if (!isWord && kind !== 'symbol') return
  const sign = isWord ? text : signOf(c)
  const help = isWord ? (BESIDE_WORDS.has(text) ? BESIDE : WIRED) : (SIGNS.get(sign) ?? SIGNS.get(text))
  const expected = place === 'statement' ? "';' or a new line" : "';'"
  if (help) c.fail(`expected ${expected}, found '${sign}'`, { ...span, end: span.start + sign.length }, help)
}

/** Symbols without white space between them. */
const signOf = (c: Cursor): string => {
  const { text } = c.next
  let sign = text
  if (text === '{' || text === ',') return sign
  for (let i = 1; sign.length < 3 && c.peek(i).kind === 'symbol' && !c.peek(i).isSpaced && /^[<>|=~&+-]+$/.test(c.peek(i).text); i++) {
    sign += c.peek(i).text
  }
  return sign
}

/** Refuses the call of what is behind a dot, as methods are elsewhere. */
export const refuseMethod = (c: Cursor, name: string): void => {
  if (c.isSymbol('(') && !c.next.isSpaced) c.fail(`'${name}' is called here, where processes are wired`, c.previous.span, WIRED)
}
