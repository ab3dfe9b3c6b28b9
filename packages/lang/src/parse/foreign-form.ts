// What stands where an expression of ours ends, or where one is due, as other languages write theirs; and what is written here.

import type { Cursor } from './cursor.js'
import { ownOperator, ownWord } from './foreign.js'

/** Ends the parse at an operator, or behind a word, of another language. */
export const refuseForeign = (c: Cursor): void => {
  const { kind, text, span, startsLine } = c.next
  // On a line of its own it is the key of the next entry.
  const help = kind === 'symbol' || (kind === 'identifier' && !startsLine) ? ownOperator(text) : undefined
  if (help) c.fail(`'${text}' is no operator of expressions`, span, help)
  const before = c.previous
  const isBehindWord = before.kind === 'identifier' && !c.next.startsLine && beginsOperand(c)
  const way = isBehindWord ? ownWord(before.text) : undefined
  if (way) c.fail(`'${before.text}' is not a word of expressions`, before.span, way)
}

// Those that go on with an expression, or with what it stands in.
const GOING_ON = new Set(['then', 'else', 'for', 'in', 'if', 'of', 'and', 'or'])

const beginsOperand = ({ next: { kind, text, piece } }: Cursor): boolean =>
  kind === 'identifier'
    ? !GOING_ON.has(text)
    : kind === 'template'
      ? piece === 'head' || piece === 'whole'
      : kind === 'string' || kind === 'number' || text === '('

const BEHIND: ReadonlyMap<string, string> = new Map([
  ['if', 'write if c then a else b'],
  ['for', 'a list has brackets of its own: [e for x in xs if c]'],
  ['{', 'write if c then a else b, or match e { x : T -> e2, _ -> e3 }'],
  [',', 'a tuple is written [a, b]; a function of an item has one name, as in x -> e'],
  [';', 'an expression is one value, and let x = e in e2 names a part of it'],
  ['->', 'a function of an item is one name, an arrow and an expression, as in sort(xs, x -> e)'],
  ['!', 'what may be absent has a stand-in: a.b ?? 0'],
])

/** Where a bracket or parenthesis should close. */
export const helpBehind = ({ next }: Cursor): string | undefined => BEHIND.get(next.text)

/** Where a record should go on, or close. */
export const helpInRecord = ({ next: { text, kind } }: Cursor): string | undefined =>
  IN_RECORD.get(text) ?? (kind === 'identifier' ? 'fields are separated by commas' : undefined)

const COMPUTED = 'a key that is computed is written [k]: e'
const IN_RECORD: ReadonlyMap<string, string> = new Map([
  ['=', 'a field is written name: e'],
  ['.', 'a field is written name: e, as in { a: value.a }'],
  [';', 'fields are separated by commas'],
  ['(', COMPUTED],
  ['for', 'write map_of([{ key: k, value: e } for x in xs])'],
])

/** Where a list should go on, or close, behind its loops. */
export const helpInLoop = ({ next }: Cursor): string | undefined =>
  next.text === 'else'
    ? 'what is kept is said behind the loop, and a choice before it: [if c then a else b for x in xs]'
    : ['where', 'when', 'filter'].includes(next.text)
      ? 'write [e for x in xs if c]'
      : undefined

/** Behind `for`. */
export const HELP_IN_FOR = 'it takes one name: of pairs p[0] and p[1], and by number [f(xs[i], i) for i in range(length(xs))]'

const JOINED = "texts and lists are joined by one '+', as in a + b"
const NO_BITS = 'there are no operators on bits'
const NO_LAST = 'there is no comma behind the last'

const BEFORE: ReadonlyMap<string, string> = new Map([
  ['.', 'a field is a name, or value.name'],
  ['=~', 'write matches(s, "re")'],
  ['++', 'nothing is changed by an expression: write x + 1'],
  ['--', 'nothing is changed by an expression: write x - 1'],
  ...['+', '-', '*', '/', '%', '??'].map(
    (sign) => [`${sign}=`, 'nothing is changed by an expression: write a + b, and { ...r, a: e } for r with another a'] as const,
  ),
  ['[*', 'lists are joined by +, as in xs + [x]'],
  [',*', 'lists are joined by +, as in xs + [x]'],
  ['::', 'a slice has no step: [xs[i] for i in range(length(xs)) if i % 2 = 0]'],
  ['>>', NO_BITS],
  ['<<', NO_BITS],
  ['~', NO_BITS],
  ['/', 'a pattern is a string, as in matches(s, "re")'],
  ['...', 'lists are joined by +, as in xs + [x]; { ...r, a: e } is for records'],
  ['for', 'write [e for x in xs if c]'],
  [',]', NO_LAST],
  [',)', NO_LAST],
])

/** Where an expression is due. */
export const helpBefore = (c: Cursor): string | undefined => {
  const { text, isSpaced } = c.next
  if (text === '+' && c.previous.text === '+' && !isSpaced && ['string', 'identifier', 'template'].includes(c.peek(1).kind)) return JOINED
  return (isSpaced && c.previous.text !== ',' ? undefined : BEFORE.get(c.previous.text + text)) ?? BEFORE.get(text)
}

const FIELDS: ReadonlyMap<string, string> = new Map([
  ['.', 'range(n) is the list of 0 to n - 1'],
  ['*', 'write ...r for the fields of a record, values(m) for the values of a map, [x.a for x in xs] for those of a list'],
  ['[', 'an item is xs[0], and [e for x in xs] takes each in turn'],
  ['}', NO_LAST],
])
const NAMES: ReadonlyMap<string, string> = new Map([
  ['[', 'a map is { [string]: T }, and has no other fields'],
  ['}', NO_LAST],
])

const BOUND: ReadonlyMap<string, string> = new Map([
  [',', 'each name has a let of its own: let x = a in let y = b in …'],
  [':', 'the type of a let is that of its value'],
  ['->', 'a value is no function: declare one before, as in let f : A -> B = map(e)'],
  ['=>', 'a value is no function: declare one before, as in let f : A -> B = map(e)'],
  ['{', 'a let names one value, and its fields are x.a'],
  ['[', 'a let names one value, and its items are x[0]'],
])

/** In a let. */
export const helpInLet = ({ next }: Cursor): string => BOUND.get(next.text) ?? 'write let x = e in e2'

/** Where the name of a field is due. */
export const helpField = ({ next }: Cursor, isOfType = false): string | undefined => (isOfType ? NAMES : FIELDS).get(next.text)

/** Where a field of a record begins. */
export const helpKey = (c: Cursor): string | undefined => (c.isSymbol('(') || c.next.kind === 'template' ? COMPUTED : helpField(c))

/** Behind the default of a field. */
export const helpBehindDefault = (c: Cursor): string | undefined =>
  c.next.kind === 'symbol' && c.next.text !== ';' ? 'a default is a constant, and nothing is computed in it' : helpInRecord(c)
