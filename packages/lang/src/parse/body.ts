// plumb = "plumb" "(" IDENT { "," IDENT } ")" "{" { statement } "}"

import type { Name, PlumbImplementation, SpawnArgument, Statement } from './ast.js'
import { parseChain } from './chain.js'
import type { Cursor, SyntaxFailure } from './cursor.js'
import { refuseForeignWiring } from './foreign-wiring.js'
import { parsePort } from './port.js'

export const parsePlumb = (c: Cursor): PlumbImplementation => {
  const start = c.advance()
  c.expectSymbol('(', "after 'plumb'")
  const parameters: Name[] = []
  do parameters.push(c.ownName('the name of a port'))
  while (c.takeSymbol(','))
  c.expectSymbol(')', 'after the ports')
  c.expectSymbol('{', 'before the body')
  const statements: Statement[] = []
  let failure: SyntaxFailure | undefined
  while (!c.isSymbol('}')) {
    const found = c.attempt(
      () => statement(c, c.previous),
      (caught) => {
        failure = caught
        if (!skipToStatement(c, caught)) throw caught
      },
    )
    if (found) statements.push(found)
  }
  c.advance()
  // Already reported; a body with a hole in it cannot be checked further.
  if (failure) throw failure
  return { kind: 'plumb', parameters, statements, span: c.spanFrom(start) }
}

// Behind a failure: at the next line of this body, or at its end. False where the body does not seem to go on.
const skipToStatement = (c: Cursor, { isBehind }: SyntaxFailure): boolean => {
  let depth = 0
  for (let isFirst = !isBehind; c.next.kind !== 'end'; isFirst = false) {
    if (startsItem(c)) return false
    if (depth === 0 && (c.isSymbol('}') || (c.next.startsLine && !isFirst))) return true
    if (c.isSymbol('{') || c.isSymbol('(') || c.isSymbol('[')) depth++
    if (depth > 0 && (c.isSymbol('}') || c.isSymbol(')') || c.isSymbol(']'))) depth--
    c.advance()
  }
  return false
}

// A channel, too, may begin in the first column.
const startsItem = (c: Cursor): boolean => c.startsItem && !(c.isWord('let') && isChannel(c))

const isChannel = (c: Cursor): boolean => {
  for (let i = 1; c.peek(i).kind !== 'end' && !(c.isWord('let', i) && c.peek(i).startsLine) && !c.isSymbol('->', i); i++) {
    if (c.isWord('channel', i)) return true
  }
  return false
}

const statement = (c: Cursor, before: Cursor['next']): Statement => {
  const start = c.next
  if (start.kind === 'end' || startsItem(c)) c.failExpecting("'}' at the end of the body")
  if (!start.startsLine && before.text !== '{') c.failExpecting("';' or a new line")
  if (c.takeWord('let')) return channel(c, start)
  if (c.takeWord('spawn')) return spawn(c, start)
  const chain = c.beside(() => parseChain(c, true))
  if (c.isSymbol('@') && !c.next.startsLine) c.fail("'@' follows the name without white space")
  refuseForeignWiring(c, 'statement')
  if (chain.kind !== 'sequence') {
    if (c.next.startsLine || c.isSymbol('}')) {
      c.fail('a chain in a body has at least two elements', chain.span, "wire it to something with ';', as in 'input ; f ; output'")
    }
    c.failExpecting("';' or a new line")
  }
  return { kind: 'wire', chain, span: chain.span }
}

const channel = (c: Cursor, start: Cursor['next']): Statement => {
  const name = c.ownName('the name of a channel')
  const isChannel = c.isSymbol('=') && c.isWord('channel', 1)
  const help = isChannel ? undefined : `a process is declared outside of the body: 'let ${name.text} : !A -> !B = …'`
  c.expectSymbol(':', `after 'let ${name.text}': a body declares channels, as in 'let ${name.text} : !int = channel'`, help)
  if (c.isWord('channel')) c.fail('a channel has a type', c.next.span, `write 'let ${name.text} : !int = channel'`)
  const port = parsePort(c)
  c.expectSymbol('=', 'after the type of the channel')
  c.expectWord('channel', "after '=': other bindings are outside the body")
  return { kind: 'channel', name, port, span: c.spanFrom(start) }
}

const spawn = (c: Cursor, start: Cursor['next']): Statement => {
  const first = c.ownName('the name of a process')
  const second = c.takeSymbol('.') ? c.ownName('the name of a process') : undefined
  const process = second ? { module: first, name: second, span: c.spanFrom(first) } : { name: first, span: first.span }
  c.expectSymbol('(', 'after the process')
  const list: SpawnArgument[] = []
  if (!c.isSymbol(')')) {
    do list.push(argument(c))
    while (c.takeSymbol(','))
  }
  c.expectSymbol(')', 'after the arguments')
  return { kind: 'spawn', process, arguments: list, span: c.spanFrom(start) }
}

const argument = (c: Cursor): SpawnArgument => {
  const name = c.anyName('a channel or a port')
  if (!c.takeSymbol('=')) return { channel: name, span: name.span }
  const channel = c.ownName('a channel')
  return { port: name, channel, span: c.spanFrom(name) }
}
