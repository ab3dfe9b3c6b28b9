// protocol = "protocol" IDENT "=" steps

import type { Branch, MessageStep, Name, ProtocolChoice, ProtocolDeclaration, ProtocolStep, Steps } from './ast.js'
import type { Cursor } from './cursor.js'
import { parseType } from './type.js'

/** Words of protocols, and nowhere else: a tool of such a name stands in quotes. */
export const PROTOCOL_WORDS: ReadonlySet<string> = new Set(['send', 'recv', 'call', 'loop', 'end'])

export const parseProtocol = (c: Cursor, named: { name?: Name }): ProtocolDeclaration => {
  const start = c.advance()
  c.startItem()
  const name = c.ownName('the name of a protocol')
  if (PROTOCOL_WORDS.has(name.text)) c.fail(`'${name.text}' is a word of protocols and cannot be the name of one`, name.span)
  named.name = name
  c.expectSymbol('=', `after 'protocol ${name.text}'`)
  const found = c.inSteps(steps)
  refuseJoint(c)
  return { kind: 'protocol', name, steps: found, span: c.spanFrom(start) }
}

const steps = (c: Cursor): Steps => {
  const start = c.next
  const list: [ProtocolStep, ...ProtocolStep[]] = [step(c)]
  while (c.isSymbol('.')) {
    const point = c.next
    if (!point.isSpaced || !c.peek(1).isSpaced) {
      c.hint("the '.' between steps stands in white space", point.span, "write ' . '; without it, it is part of a name, as in fs.Path")
    }
    c.advance()
    list.push(step(c))
  }
  return { list, span: c.spanFrom(start) }
}

const JOINTS: ReadonlySet<string> = new Set([';', '->', ',', '|', '>', '=', '+', '*', '&&', 'then'])

// As steps are joined elsewhere.
const refuseJoint = (c: Cursor): void => {
  if (c.next.startsLine || !JOINTS.has(c.next.text)) return
  c.failExpecting("' . ' and another step", "steps are joined by a '.' in white space: call a . call b . end")
}

const STEP = "a step: 'send T', 'recv T', 'call tool', 'loop', 'end', the name of a protocol, or a choice '{ … }'"

const step = (c: Cursor): ProtocolStep => {
  const start = c.next
  c.countPart()
  if (c.isSymbol('{')) return c.nested(choice)
  if (start.kind === 'string') return c.fail(`expected ${STEP}, found a string`, start.span, `write 'call ${JSON.stringify(start.text)}'`)
  if (start.kind !== 'identifier') return c.failExpecting(STEP)
  switch (start.text) {
    case 'send':
    case 'recv':
      return message(c, start.text)
    case 'call':
      c.advance()
      return { kind: 'call', tool: tool(c), span: c.spanFrom(start) }
    case 'loop':
    case 'end':
      c.advance()
      return { kind: start.text, span: start.span }
  }
  const first = c.ownName('the name of a protocol')
  if (!c.isSymbol('.') || c.isPointOfSteps) return { kind: 'named', name: { name: first, span: first.span }, span: first.span }
  c.advance()
  const name = c.ownName('the name of a protocol')
  const span = c.spanFrom(start)
  return { kind: 'named', name: { module: first, name, span }, span }
}

const message = (c: Cursor, kind: MessageStep['kind']): MessageStep => {
  const start = c.advance()
  const type = parseType(c)
  return { kind, type, span: c.spanFrom(start) }
}

const choice = (c: Cursor): ProtocolChoice => {
  const start = c.advance()
  const branches = [branch(c)]
  while (c.takeSymbol(',')) branches.push(branch(c))
  c.expectSymbol('}', "after the branch (or ',' and another branch)")
  return { kind: 'choice', branches, span: c.spanFrom(start) }
}

const branch = (c: Cursor): Branch => {
  const start = c.next
  const isLabelled = c.isSymbol(':', 1)
  if (!isLabelled && (c.isWord('end') || c.isWord('loop'))) {
    c.advance()
    return { kind: start.text === 'end' ? 'end' : 'loop', span: start.span }
  }
  if (c.isSymbol('}')) c.failExpecting("a branch 'tool: steps', 'end' or 'loop'")
  const label = tool(c)
  const isListed = ['|', ',', '/'].includes(c.next.text)
  c.expectSymbol(':', `after '${label.text}', the label of a branch`, isListed ? 'each has a branch of its own: a: end, b: end' : undefined)
  return { kind: 'labelled', label, steps: steps(c), span: c.spanFrom(start) }
}

const tool = (c: Cursor): Name => {
  const t = c.next
  if (t.kind === 'identifier' && PROTOCOL_WORDS.has(t.text)) {
    const other = c.peek(1)
    const isCall = t.text === 'call' && other.kind === 'identifier'
    const help = isCall
      ? `in a choice the label is the call: ${other.text}: …`
      : `a tool or a branch of that name stands in quotes: ${JSON.stringify(t.text)}`
    return c.fail(`'${t.text}' is a word of protocols`, t.span, help)
  }
  return c.fieldName('the name of a tool, or of a branch')
}
