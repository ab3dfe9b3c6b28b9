// chain = tensor { ";" tensor } ; tensor = choice { "*" choice } ; choice = element { "+" element }

import type { Chain, CrossingAtom, Expression, JoinOptions, Literal, Setting, Structural } from './ast.js'
import type { Cursor } from './cursor.js'
import { closeExpression, parseExpression, parseFunction, startsFunction } from './expression.js'
import { wayOfProcess } from './foreign.js'
import { refuseForeignWiring, refuseMethod, WIRED } from './foreign-wiring.js'
import { isLiteral, parseLiteral } from './literal.js'
import { PLAIN_MORPHISMS } from './morphism.js'
import { parseName } from './value.js'

/** In a body (`isStatement`) a line end outside parentheses ends the chain, unless an operator is on either side of it. */
export const parseChain = (c: Cursor, isStatement: boolean): Chain => list(c, 'sequence', ';', tensor, isStatement)

type Part = (c: Cursor, isStatement: boolean) => Chain

const list = (c: Cursor, kind: 'sequence' | 'tensor' | 'choice', operator: string, part: Part, isStatement: boolean): Chain => {
  const start = c.next
  const first = part(c, isStatement)
  if (!c.isSymbol(operator)) return first
  const items = [first]
  while (c.takeSymbol(operator)) items.push(c.beside(() => part(c, isStatement)))
  return { kind, items, span: c.spanFrom(start) }
}

const tensor: Part = (c, isStatement) => list(c, 'tensor', '*', choice, isStatement)
const choice: Part = (c, isStatement) => list(c, 'choice', '+', element, isStatement)

const element: Part = (c, isStatement) => {
  const start = c.next
  let chain = atom(c)
  while (c.isSymbol('.') && !(isStatement && c.next.startsLine)) {
    c.advance()
    c.grow()
    const isString = c.next.kind === 'string'
    const field = c.anyName('the name of a field', isString ? `write map(value.${JSON.stringify(c.next.text)})` : undefined)
    refuseMethod(c, field.text)
    const port = chain.kind === 'reference' && !chain.port ? portBehind(c) : undefined
    if (port && chain.kind === 'reference') {
      // `Module.process@port`: with a port after it, the dot can only be a module's.
      chain = { ...chain, name: { module: chain.name.name, name: field, span: c.spanFrom(start) }, port, span: c.spanFrom(start) }
    } else chain = { kind: 'field', of: chain, field, span: c.spanFrom(start) }
  }
  return chain
}

const atom = (c: Cursor): Chain => {
  const start = c.next
  if (!c.isSymbol('(')) c.countPart()
  if (c.takeSymbol('(')) {
    const chain = c.nested(() => parseChain(c, false))
    refuseForeignWiring(c, 'parentheses')
    c.expectSymbol(')', 'after the chain')
    return chain
  }
  if (start.kind !== 'identifier') {
    const isJoined = start.text === '+' && c.previous.text === '+'
    return c.failExpecting(
      'a process',
      isJoined ? WIRED : start.kind === 'symbol' ? undefined : 'an expression is made a process by map(…)',
    )
  }
  if (PLAIN_MORPHISMS.has(start.text)) {
    c.advance()
    if (start.text === 'barrier' && c.isSymbol('(') && !c.next.startsLine)
      return { kind: 'barrier', join: joinOptions(c), span: c.spanFrom(start) }
    return { kind: start.text as Structural['kind'], span: start.span }
  }
  if (start.text === 'map') return map(c)
  if (start.text === 'filter') {
    c.advance()
    c.expectSymbol('(', "after 'filter'")
    const expression = overMessage(c, 'filter')
    closeExpression(c)
    return { kind: 'filter', expression, span: c.spanFrom(start) }
  }
  if (start.text === 'project') return project(c)
  if (start.text === 'each') return each(c)
  if (start.text === 'batch') return batch(c)
  if (start.text === 'fold') return fold(c)
  if (start.text === 'trace') return trace(c)
  // A binding may have the name, and nothing in parentheses after it.
  if ((start.text === 'endorse' || start.text === 'declassify') && c.isSymbol('(', 1)) return crossing(c, start.text)
  if (c.isWord('if'))
    c.fail("'if' stands in expressions only", start.span, 'messages are routed by filters, one before each process: filter(team = "x") ; a')
  if (OWN_BINDINGS.has(start.text) && (c.isSymbol('{', 1) || c.isSymbol('(', 1))) unnamed(c, start.text)
  const name = c.ownName('the name of a process')
  if (c.isSymbol('(') && !c.next.isSpaced)
    c.fail(
      `'${name.text}' is called here, where processes are wired`,
      name.span,
      wayOfProcess(name.text) ?? `functions stand in expressions, as in map(${name.text}(…)); processes are wired with ';', as in a ; b`,
    )
  const port = portBehind(c)
  return { kind: 'reference', name: { name, span: name.span }, span: c.spanFrom(start), ...(port ? { port } : {}) }
}

const OWN_BINDINGS = new Set(['agent', 'tool', 'plumb'])

const unnamed = (c: Cursor, word: string): never => {
  const [form, type] = word === 'tool' ? ['tool { … }', 'A -> B'] : [word === 'plumb' ? 'plumb(…) { … }' : 'agent { … }', '!A -> !B']
  return c.fail(
    `'${word}' makes a binding, and no part of a chain`,
    c.next.span,
    `give it a name, let p : ${type} = ${form}, and write p here`,
  )
}

// `@` follows the name without white space: with space it begins the annotation of the next binding.
const portBehind = (c: Cursor) => {
  if (!c.isSymbol('@') || c.next.isSpaced) return undefined
  c.advance()
  return c.anyName('the name of a port')
}

const map = (c: Cursor): Chain => {
  const start = c.advance()
  c.expectSymbol('(', "after 'map'")
  const expression = overMessage(c, 'map')
  let parallel: Setting | undefined
  while (c.takeSymbol(',')) {
    const key = c.anyName("'parallel'")
    c.expectSymbol(':', `after '${key.text}'`)
    if (key.text !== 'parallel' || parallel) c.fail(`'map' takes 'parallel', once; found '${key.text}'`, key.span)
    parallel = setting(c)
  }
  closeExpression(c)
  return { kind: 'map', expression, span: c.spanFrom(start), ...(parallel ? { parallel } : {}) }
}

const overMessage = (c: Cursor, who: string): Expression => {
  const isOfTwo = c.isSymbol('(') && c.isSymbol(',', 2) && c.isSymbol(')', 4) && (c.isSymbol('->', 5) || c.isSymbol('=', 5))
  if (!startsFunction(c) && !isOfTwo) {
    const e = parseExpression(c)
    if (c.isSymbol(',') && startsFunction(c, 1)) refuseFunction(c, e, who)
    return e
  }
  const items = who === 'fold' ? "'state' is what the last message gave" : 'for the items of a list write [e for x in xs if c]'
  const help = `the message is 'value', and its fields are names; ${items}`
  return c.fail(`'${who}' takes an expression over the message, not a function`, c.next.span, help)
}

// `filter(xs, x -> c)`
const refuseFunction = (c: Cursor, { span }: Expression, who: string): void => {
  c.advance()
  const { parameter, body, span: whole } = parseFunction(c, false)
  const text = ({ source, start, end }: Expression['span']): string => source.text.slice(start, end)
  const [x, of, e] = [parameter.text, text(span), text(body.span)]
  const list = who === 'filter' ? `[${x} for ${x} in ${of} if ${e}]` : `[${e} for ${x} in ${of}]`
  const help = who === 'fold' ? "write 'fold(state + value, from: 0)'" : `write map(${list})`
  c.fail(`'${who}' takes an expression over the message, not a function`, whole, help)
}

const KEYED = 'give one key for each branch: barrier(by: (id, order))'

const joinOptions = (c: Cursor): JoinOptions => {
  c.advance()
  const found: { by?: readonly Expression[]; within?: Setting; unmatched?: Literal } = {}
  do {
    const key = c.anyName("'by', 'within' or 'unmatched'", KEYED)
    c.expectSymbol(':', `after '${key.text}'`, KEYED)
    const { text } = key
    if ((text !== 'by' && text !== 'within' && text !== 'unmatched') || found[text]) {
      c.fail(`'barrier' takes 'by', 'within' and 'unmatched', once each; found '${text}'`, key.span)
    }
    if (text === 'by') found.by = keysOf(c)
    else if (text === 'within') found.within = setting(c)
    else if (c.next.kind === 'string' && c.next.text === 'drop') found.unmatched = parseLiteral(c)
    else c.fail('\'unmatched\' is "drop": what finds no partner goes without a word', c.next.span, 'leave it out to have it reported')
  } while (c.takeSymbol(','))
  c.expectSymbol(')', 'after the barrier')
  const { by, ...rest } = found
  if (!by) return c.fail("'barrier' with options joins by keys", c.previous.span, "write 'by', as in barrier(by: (id, order))")
  return { by, ...rest }
}

const keysOf = (c: Cursor): readonly Expression[] => {
  if (!c.takeSymbol('(')) return [parseExpression(c)]
  const keys = [parseExpression(c)]
  while (c.takeSymbol(',')) keys.push(parseExpression(c))
  c.expectSymbol(')', 'after the keys')
  return keys
}

const setting = (c: Cursor): Setting => (isLiteral(c) ? parseLiteral(c) : parseName(c, c.ownName('a number or a param')))

const crossing = (c: Cursor, kind: CrossingAtom['kind']): Chain => {
  const start = c.advance()
  c.expectSymbol('(', `after '${kind}'`)
  if (c.next.kind !== 'string' || c.next.text.trim() === '') c.fail(`'${kind}' says why, as in ${kind}("addresses are checked before")`)
  const reason = parseLiteral(c)
  c.expectSymbol(')', 'after the reason')
  return { kind, reason, span: c.spanFrom(start) }
}

const project = (c: Cursor): Chain => {
  const start = c.advance()
  c.expectSymbol('(', "after 'project'")
  const t = c.next
  if (t.kind !== 'number' || !/^[0-9]+$/.test(t.text)) c.fail("'project' takes the number of a tuple's part, counted from 0")
  c.advance()
  c.expectSymbol(')', 'after the number')
  return { kind: 'project', index: Number(t.text), span: c.spanFrom(start) }
}

// An older spec may have a binding of that name.
const opening = (c: Cursor, word: string, form: string): void => {
  const help = `'${word}' is a word of the language, as in ${form}; a binding needs another name`
  if (!c.takeSymbol('(')) c.failExpecting(`'(' after '${word}'`, help)
}

const each = (c: Cursor): Chain => {
  const start = c.advance()
  opening(c, 'each', 'each(p)')
  const chain = c.nested(() => parseChain(c, false))
  refuseForeignWiring(c, 'list')
  let parallel: Setting | undefined
  let onError: Literal | undefined
  while (c.takeSymbol(',')) {
    const key = c.anyName("'parallel' or 'on_error'")
    c.expectSymbol(':', `after '${key.text}'`)
    const isParallel = key.text === 'parallel' && !parallel
    if (!isParallel && (key.text !== 'on_error' || onError)) {
      c.fail(`'each' takes 'parallel' and 'on_error', once each; found '${key.text}'`, key.span)
    }
    if (isParallel) parallel = setting(c)
    else if (isLiteral(c)) onError = parseLiteral(c)
    else c.fail(`'on_error' is "skip" or "fail"`)
  }
  c.expectSymbol(')', 'after the each')
  return { kind: 'each', chain, span: c.spanFrom(start), ...(parallel ? { parallel } : {}), ...(onError ? { onError } : {}) }
}

const batch = (c: Cursor): Chain => {
  const start = c.advance()
  opening(c, 'batch', 'batch(20)')
  const size = c.isSymbol(')') || c.isSymbol(':', 1) ? undefined : setting(c)
  let within: Setting | undefined
  const isAlone = size === undefined && !c.isSymbol(')')
  for (let more = isAlone || c.takeSymbol(','); more; more = c.takeSymbol(',')) {
    const key = c.anyName("'within'")
    c.expectSymbol(':', `after '${key.text}'`)
    if (key.text !== 'within' || within) c.fail(`'batch' takes 'within', once; found '${key.text}'`, key.span)
    within = setting(c)
  }
  c.expectSymbol(')', 'after the batch')
  return { kind: 'batch', ...(size ? { size } : {}), span: c.spanFrom(start), ...(within ? { within } : {}) }
}

const fold = (c: Cursor): Chain => {
  const start = c.advance()
  c.expectSymbol('(', "after 'fold'")
  const expression = overMessage(c, 'fold')
  c.expectSymbol(',', "after the expression, as in 'fold(state + value, from: 0)'")
  const found: { from?: Expression; by?: Expression; emit?: Literal } = {}
  do foldOption(c, found)
  while (c.takeSymbol(','))
  const { from, by, emit } = found
  if (!from) return c.fail("'fold' takes what it begins with as 'from'", c.next.span, "as in 'fold(state + value, from: 0)'")
  c.expectSymbol(')', 'after the fold')
  return { kind: 'fold', expression, from, span: c.spanFrom(start), ...(by ? { by } : {}), ...(emit ? { emit } : {}) }
}

const foldOption = (c: Cursor, found: { from?: Expression; by?: Expression; emit?: Literal }): void => {
  const key = c.anyName("'from', 'by' or 'emit'", 'as in fold(state + value, from: 0)')
  c.expectSymbol(':', `after '${key.text}'`, 'as in fold(state + value, from: 0)')
  const { text } = key
  if ((text !== 'from' && text !== 'by' && text !== 'emit') || found[text]) {
    c.fail(`'fold' takes 'from', 'by' and 'emit', once each; found '${text}'`, key.span)
  }
  if (text !== 'emit') found[text] = parseExpression(c)
  else if (c.next.kind === 'string' && c.next.text === 'end') found.emit = parseLiteral(c)
  else c.fail('\'emit\' is "end": only the last states are sent', c.next.span, 'leave it out to send the state after each message')
}

const trace = (c: Cursor): Chain => {
  const start = c.advance()
  c.expectSymbol('(', "after 'trace'")
  const chain = c.nested(() => parseChain(c, false))
  refuseForeignWiring(c, 'list')
  let max: Literal | undefined
  let until: Expression | undefined
  while (c.takeSymbol(',')) {
    const key = c.anyName("'max' or 'until'")
    c.expectSymbol(':', `after '${key.text}'`)
    if (key.text === 'max' && !max) {
      if (!isLiteral(c)) c.fail("'max' is a whole number")
      max = parseLiteral(c)
    } else if (key.text === 'until' && !until) until = parseExpression(c)
    else c.fail(`'trace' takes 'max' and 'until', once each; found '${key.text}'`, key.span)
  }
  c.expectSymbol(')', 'after the trace')
  return { kind: 'trace', chain, span: c.spanFrom(start), ...(max ? { max } : {}), ...(until ? { until } : {}) }
}
