// The names that a body has for itself.

import { declaredType } from '../declare/declare.js'
import type { Bound } from '../names/names.js'
import type { PlumbImplementation } from '../parse/ast.js'
import { heardPort } from '../protocol/end-point.js'
import { portsNamed, type SymbolInfo } from './symbol.js'

/** What is under a name within a body, before the bindings of the file. */
export type Locals = ReadonlyMap<string, SymbolInfo>

/** The parameters and channels of a plumb; of two with one name the first. */
export const localsOf = (bound: Bound, impl: PlumbImplementation): Locals => {
  const locals = new Map<string, SymbolInfo>()
  const ports = portsNamed(bound)
  const add = (name: string, meaning: SymbolInfo) => {
    if (!locals.has(name)) locals.set(name, meaning)
  }
  for (const [i, name] of impl.parameters.entries()) {
    const meaning: SymbolInfo = { kind: 'parameter', bound, name, port: ports[i] }
    add(name.text, meaning)
    // What comes to an end of a conversation is named after it.
    if (bound.ends.has(i)) add(heardPort(name.text), meaning)
  }
  for (const s of impl.statements) {
    if (s.kind === 'channel')
      add(s.name.text, { kind: 'channel', bound, statement: s, type: declaredType(s.port.type, bound.scope, () => {}) })
  }
  return locals
}
