// Expressions, from loose to tight: if and let · ?? · or · and · not · comparison · + - · * / % · unary - · postfix .field [i]

import type { Span } from '../diagnostic/source.js'
import type {
  BinaryOperator,
  CallExpression,
  Comprehension,
  ComprehensionLoop,
  Expression,
  KeyFunction,
  MatchArm,
  MatchExpression,
  Name,
  RecordPart,
  Template,
} from './ast.js'
import { type Cursor, LITERAL_WORDS } from './cursor.js'
import { calledOnValue, ownFunction } from './foreign.js'
import {
  HELP_IN_FOR,
  helpBefore,
  helpBehind,
  helpField,
  helpInLet,
  helpInLoop,
  helpInRecord,
  helpKey,
  refuseForeign,
} from './foreign-form.js'
import type { Token } from './lexer.js'
import { parseType } from './type.js'

export const parseExpression = (c: Cursor): Expression => {
  const e = c.nested(choice)
  if (c.isSymbol('?')) refuseQuestion(c)
  // Behind a name of `for` or of `let`, `in` is right.
  if (!c.isWord('in')) refuseForeign(c)
  return e
}

/** The parenthesis behind an expression. */
export const closeExpression = (c: Cursor): void => {
  refuseForeign(c)
  c.expectSymbol(')', 'after the expression', helpBehind(c))
}

// `c ? a : b`, and `a?.b`.
const refuseQuestion = (c: Cursor): never => {
  if (c.isSymbol('.', 1) || c.isSymbol('[', 1)) c.fail("'?' reads no field", c.next.span, 'what may be absent has a stand-in: a.b ?? 0')
  return c.fail("there is no '? :' in an expression", c.next.span, "write 'if c then a else b'")
}

const choice = (c: Cursor): Expression => {
  if (c.isWord('let')) return letIn(c)
  if (!c.isWord('if')) return binary(c, LOOSEST)
  const start = c.advance()
  const condition = parseExpression(c)
  if (c.isSymbol('{')) c.fail("expected 'then' after the condition of 'if', found '{'", c.next.span, "write 'if c then a else b'")
  c.expectWord('then', "after the condition of 'if'")
  const then = parseExpression(c)
  const help = /^el(?:s?e?if)$/.test(c.next.text) ? "write 'else if'" : 'an if has both branches: if c then a else b'
  c.expectWord('else', "after the first branch of 'if'", help)
  const otherwise = parseExpression(c)
  return { kind: 'if', condition, then, else: otherwise, span: c.spanFrom(start) }
}

const letIn = (c: Cursor): Expression => {
  const start = c.advance()
  if (c.next.kind === 'symbol') c.failExpecting('the name of a value', helpInLet(c))
  const name = c.ownName('the name of a value')
  c.expectSymbol('=', `after 'let ${name.text}'`, helpInLet(c))
  const value = parseExpression(c)
  if (!c.isWord('in')) c.failExpecting(`'in' after the value of '${name.text}'`, helpInLet(c))
  c.advance()
  const body = parseExpression(c)
  return { kind: 'let', name, value, body, span: c.spanFrom(start) }
}

/** How tight each binds; `not` is between `and` and the comparisons. */
const LOOSEST = 1
const NOT = 4
const COMPARISON = 5
const OPERATORS: ReadonlyMap<string, { readonly operator: BinaryOperator; readonly strength: number }> = new Map(
  (
    [
      ['??', '??', LOOSEST],
      ['or', 'or', 2],
      ['||', 'or', 2],
      ['and', 'and', 3],
      ['&&', 'and', 3],
      ['=', '=', COMPARISON],
      ['!=', '!=', COMPARISON],
      ['<', '<', COMPARISON],
      ['<=', '<=', COMPARISON],
      ['>', '>', COMPARISON],
      ['>=', '>=', COMPARISON],
      ['+', '+', 6],
      ['-', '-', 6],
      ['*', '*', 7],
      ['/', '/', 7],
      ['%', '%', 7],
    ] as const
  ).map(([text, operator, strength]) => [text, { operator, strength }]),
)

const operatorAt = ({ kind, text }: Cursor['next']) => (kind === 'symbol' || kind === 'identifier' ? OPERATORS.get(text) : undefined)

/** Operators that bind at least as tight as `least`. All take their left side first, but for `??`; comparisons do not chain. */
const binary = (c: Cursor, least: number): Expression => {
  const start = c.next
  let left = least <= NOT && (c.isWord('not') || c.isSymbol('!')) ? negation(c) : unary(c)
  for (;;) {
    const found = operatorAt(c.next)
    if (!found || found.strength < least) return left
    const { operator, strength } = found
    const sign = c.advance()
    if (operator === '*' && c.isSymbol('*')) c.fail("there is no operator '**'", c.spanFrom(sign), 'write pow(x, y)')
    if (operator === '<' && c.isSymbol('>') && !c.next.isSpaced) {
      c.advance()
      c.hint("what is not equal is written '!='", c.spanFrom(sign), "write '!=' for '<>'")
    }
    if (operator === '!=' && c.isSymbol('=') && !c.next.isSpaced) {
      c.advance()
      c.hint("what is not equal is written '!='", c.spanFrom(sign), "write '!=' for '!=='")
    }
    if (operator === '=' && c.isSymbol('=') && !c.next.isSpaced) {
      c.advance()
      if (c.isSymbol('=') && !c.next.isSpaced) c.advance()
      c.hint("equality is written '='", c.spanFrom(sign), "write '=' for '=='")
    }
    c.grow()
    const isRightward = strength === LOOSEST
    const right = isRightward ? c.nested(() => binary(c, strength)) : c.beside(() => binary(c, strength + 1))
    left = { kind: 'binary', operator, left, right, span: c.spanFrom(start) }
    if (strength === COMPARISON && operatorAt(c.next)?.strength === COMPARISON) {
      c.fail('comparisons do not chain', c.next.span, "join two of them with 'and'")
    }
  }
}

const negation = (c: Cursor): Expression => {
  const start = c.advance()
  const operand = c.nested(() => binary(c, NOT))
  return { kind: 'unary', operator: 'not', operand, span: c.spanFrom(start) }
}

const unary = (c: Cursor): Expression => {
  const start = c.next
  if (!c.takeSymbol('-')) return postfix(c)
  const operand = c.nested(() => unary(c))
  return { kind: 'unary', operator: '-', operand, span: c.spanFrom(start) }
}

const postfix = (c: Cursor): Expression => {
  const start = c.next
  let e = primary(c)
  for (;;) {
    if (c.takeSymbol('.')) {
      const field = c.fieldName('the name of a field', helpField(c))
      // Only a function can be before a parenthesis: that of a module.
      if (e.kind === 'name' && c.isSymbol('(')) e = call(c, field, { text: e.name, span: e.span })
      else if (c.isSymbol('(') && !c.next.isSpaced)
        c.fail(`'${field.text}' is called on a value`, field.span, calledOnValue(field.text, textOfReceiver(e), c.isSymbol(')', 1)))
      else e = { kind: 'field', of: e, field, span: c.spanFrom(start) }
    } else if (c.takeSymbol('[')) {
      e = c.beside(() => indexOrSlice(c, e, start))
    } else return e
    c.grow()
  }
}

// What a method is called on may be the call of one.
const textOfReceiver = (e: Expression): string =>
  e.kind === 'call' && e.module
    ? `${ownFunction(e.function.text) ?? e.function.text}(${[e.module, ...e.arguments].map(textOfSpan).join(', ')})`
    : textOfSpan(e)

const textOfSpan = ({ span: { source, start, end } }: { readonly span: Span }): string => source.text.slice(start, end)

// Behind the '['.
const indexOrSlice = (c: Cursor, of: Expression, start: Token): Expression => {
  if (c.isSymbol(']') || (c.isSymbol('*') && c.isSymbol(']', 1))) {
    const span = { ...c.previous.span, end: c.next.span.end }
    c.fail('an index is missing', span, 'write [e for x in xs] to go through a list, xs[0] for its first item')
  }
  const from = c.isSymbol(':') ? undefined : parseExpression(c)
  if (from && !c.isSymbol(':')) {
    c.expectSymbol(']', 'after the index')
    return { kind: 'index', of, index: from, span: c.spanFrom(start) }
  }
  c.advance()
  const to = c.isSymbol(']') ? undefined : parseExpression(c)
  c.expectSymbol(']', 'after the slice')
  return { kind: 'slice', of, ...(from ? { from } : {}), ...(to ? { to } : {}), span: c.spanFrom(start) }
}

// These stand for themselves alone; every other reserved word is also a field.
const WORDS: ReadonlySet<string> = new Set(['if', 'then', 'else', 'and', 'or', 'not', 'for', 'in', 'let', 'match'])
const NEW_WORDS: ReadonlySet<string> = new Set(['for', 'in', 'let', 'match'])
const isBare = (word: string): boolean => WORDS.has(word) || LITERAL_WORDS.has(word)

const primary = (c: Cursor): Expression => {
  const t = c.next
  if (t.kind === 'string') {
    c.advance()
    return { kind: 'literal', value: t.text, text: JSON.stringify(t.text), span: t.span }
  }
  if (t.kind === 'number') {
    c.advance()
    return { kind: 'literal', value: Number(t.text), text: t.text, span: t.span }
  }
  if (t.kind === 'template' && (t.piece === 'head' || t.piece === 'whole')) return parseTemplate(c)
  if (c.takeSymbol('(')) {
    const e = parseExpression(c)
    closeExpression(c)
    return e
  }
  if (c.takeSymbol('[')) {
    const items = c.isSymbol(']') ? [] : commaList(c, parseExpression)
    if (c.isWord('for')) return comprehension(c, items, t)
    c.expectSymbol(']', 'after the list')
    return { kind: 'list', items, span: c.spanFrom(t) }
  }
  if (c.takeSymbol('{')) {
    const parts = c.isSymbol('}') ? [] : commaList(c, recordPart)
    c.expectSymbol('}', "after the field (or ',' and another field)", helpInRecord(c))
    return { kind: 'record', parts, span: c.spanFrom(t) }
  }
  if (t.kind !== 'identifier') return c.failExpecting('an expression', helpBefore(c))
  if (t.text === 'match' && startsMatch(c)) return match(c)
  const isLet = t.text === 'let' && c.peek(1).kind === 'identifier'
  if (t.text === 'if' || isLet) return c.fail(`${isLet ? "a 'let'" : "an 'if'"} inside another expression needs parentheses`)
  // `for x in xs` is a list without what is before it; else it may be a field of a spec from before these were words.
  if (NEW_WORDS.has(t.text) && c.peek(1).kind !== 'identifier')
    return c.fail(`'${t.text}' is a word of the language; write value.${t.text} for the field`)
  if (WORDS.has(t.text)) return c.failExpecting('an expression', helpBefore(c))
  c.advance()
  if (c.next.kind === 'string' && !c.next.isSpaced) c.fail('a text with expressions in it begins with $', t.span, `write $"…{e}…"`)
  const literal = LITERAL_WORDS.get(t.text)
  if (literal !== undefined) return { kind: 'literal', value: literal, text: t.text, span: t.span }
  if (!c.isSymbol('(')) return { kind: 'name', name: t.text, span: t.span }
  return call(c, t)
}

// Anything but what could only follow a field of that name.
const startsMatch = (c: Cursor): boolean => {
  const { kind, text } = c.peek(1)
  if (kind === 'identifier') return !WORDS.has(text) || ['if', 'not', 'match', 'let'].includes(text)
  return kind === 'symbol' ? ['(', '[', '{', '-', '!'].includes(text) : kind !== 'end'
}

const match = (c: Cursor): MatchExpression => {
  const start = c.advance()
  const of = parseExpression(c)
  c.expectSymbol('{', "after what 'match' takes apart")
  const arms = c.isSymbol('}') ? [] : commaList(c, arm)
  c.expectSymbol('}', "after the arm (or ',' and another arm)", 'arms are separated by commas, and each has a type: x : T -> e')
  return { kind: 'match', of, arms, span: c.spanFrom(start) }
}

const arm = (c: Cursor): MatchArm => {
  const start = c.next
  if (c.isWord('_') && (c.isSymbol('->', 1) || startsFunction(c))) {
    c.advance()
    arrow(c)
    return { body: parseExpression(c), span: c.spanFrom(start) }
  }
  if (c.next.kind === 'string') c.fail('an arm has a name and a type', c.next.span, `write x : ${JSON.stringify(c.next.text)} -> …`)
  if (c.next.kind === 'number') c.fail('an arm has a name and a type', c.next.span, 'numbers are told apart by if: if x = 1 then … else …')
  if (c.isWord('case')) c.fail("an arm begins with a name, and not with 'case'", c.next.span, 'write x : T -> e, or _ -> e for all others')
  const name = c.ownName("the name of an arm, as in x : T -> e, or '_'")
  if (c.isSymbol('->')) c.fail(`'${name.text}' has no type`, c.next.span, `write ${name.text} : T -> …, or _ -> … for all others`)
  c.expectSymbol(':', `after '${name.text}'`)
  const type = parseType(c)
  arrow(c)
  return { pattern: { name, type }, body: parseExpression(c), span: c.spanFrom(start) }
}

const arrow = (c: Cursor): void => {
  const start = c.next
  if (c.takeSymbol('->')) return
  if (!c.isSymbol('=') || !c.isSymbol('>', 1)) c.expectSymbol('->', 'after the type of the arm')
  c.advance()
  c.advance()
  c.hint('an arm is written x : T -> e', c.spanFrom(start), "write '->' for '=>'")
}

const call = (c: Cursor, { text, span }: Name, module?: Name): CallExpression => {
  c.advance()
  const args: Expression[] = []
  let key: KeyFunction | undefined
  if (!c.isSymbol(')')) {
    do {
      if (key) c.fail('a function comes after the other arguments', key.span, 'as in sort(hits, h -> h.score)')
      if (startsFunction(c)) key = c.beside(() => parseFunction(c, !module))
      else args.push(c.beside(parseExpression))
    } while (c.takeSymbol(','))
  }
  c.expectSymbol(')', 'after the arguments', helpBehind(c))
  const whole = c.spanFrom(module ?? { span })
  return { kind: 'call', ...(module ? { module } : {}), function: { text, span }, arguments: args, ...(key ? { key } : {}), span: whole }
}

// `x -> e`, or `x => e` as in other languages.
export const startsFunction = (c: Cursor, at = 0): boolean =>
  c.peek(at).kind === 'identifier' &&
  (c.isSymbol('->', at + 1) || (c.isSymbol('=', at + 1) && c.isSymbol('>', at + 2) && !c.peek(at + 2).isSpaced))

/** `isRight`: it may stand here, so an arrow of another language is told of. */
export const parseFunction = (c: Cursor, isRight = true): KeyFunction => {
  const start = c.next
  const parameter = c.ownName('the name of an item')
  const arrow = c.advance()
  if (c.takeSymbol('>') && isRight) c.hint("a function of an item is written 'x -> e'", c.spanFrom(arrow), "write '->' for '=>'")
  const body = parseExpression(c)
  return { parameter, body, span: c.spanFrom(start) }
}

// `[e for x in xs if c for y in ys]`, from the first `for` on.
const comprehension = (c: Cursor, items: readonly Expression[], start: Token): Comprehension => {
  const [item, another] = items
  if (!item || another)
    return c.fail("one expression comes before 'for'", c.next.span, 'a list of lists has brackets of its own: [[a, b] for x in xs]')
  const loops: ComprehensionLoop[] = []
  while (c.isWord('for')) loops.push(c.beside(loop))
  c.expectSymbol(']', 'after the list', helpInLoop(c))
  return { kind: 'comprehension', item, loops: loops as [ComprehensionLoop, ...ComprehensionLoop[]], span: c.spanFrom(start) }
}

const loop = (c: Cursor): ComprehensionLoop => {
  const start = c.advance()
  if (c.isSymbol('(')) c.failExpecting('the name of an item', HELP_IN_FOR)
  const name = c.ownName('the name of an item')
  if (c.isSymbol(',')) c.failExpecting(`'in' after 'for ${name.text}'`, HELP_IN_FOR)
  if (c.isWord('of')) c.fail(`expected 'in' after 'for ${name.text}', found 'of'`, c.next.span, `write 'for ${name.text} in …'`)
  c.expectWord('in', `after 'for ${name.text}'`)
  const list = parseExpression(c)
  const condition = c.takeWord('if') ? parseExpression(c) : undefined
  return { name, list, ...(condition ? { condition } : {}), span: c.spanFrom(start) }
}

export const parseTemplate = (c: Cursor): Template => {
  const start = c.advance()
  const texts = [textOf(start)]
  const holes: Expression[] = []
  for (let piece = start.piece; piece === 'head' || piece === 'middle'; piece = c.previous.piece) {
    const isEmpty = c.next.kind === 'template' && c.next.piece !== 'head' && c.next.piece !== 'whole'
    if (isEmpty) c.fail('an expression is missing between the braces', c.spanFrom(start), "write '{{}}' for the braces themselves")
    holes.push(c.beside(parseExpression))
    if (c.next.kind !== 'template' || c.next.piece === 'head' || c.next.piece === 'whole') c.failExpecting("'}'")
    texts.push(textOf(c.advance()))
  }
  return { kind: 'template', texts, holes, span: c.spanFrom(start) }
}

const textOf = ({ text, span }: Token): Name => ({ text, span })

const recordPart = (c: Cursor): RecordPart => {
  const start = c.next
  if (c.takeSymbol('...')) {
    const of = parseExpression(c)
    return { kind: 'spread', of, span: c.spanFrom(start) }
  }
  if (c.takeSymbol('[')) {
    const key = parseExpression(c)
    c.expectSymbol(']', 'after the key')
    c.expectSymbol(':', "after '[key]'")
    return { kind: 'computed', key, value: parseExpression(c), span: c.spanFrom(start) }
  }
  const name = c.fieldName('the name of a field', helpKey(c))
  // A word that does not stand for itself is not a shorthand.
  if (start.kind === 'string' || isBare(name.text)) c.expectSymbol(':', `after the field '${name.text}'`)
  else if (!c.takeSymbol(':')) return { kind: 'field', name, value: { kind: 'name', name: name.text, span: name.span }, isShorthand: true }
  return { kind: 'field', name, value: parseExpression(c), isShorthand: false }
}

const commaList = <T>(c: Cursor, part: (c: Cursor) => T): T[] => {
  const parts = [c.beside(() => part(c))]
  while (c.takeSymbol(',')) parts.push(c.beside(() => part(c)))
  return parts
}
