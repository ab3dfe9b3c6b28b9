// The functions whose arguments stand at a place, with the argument that is being written.

import type { Compiled } from '../compile.js'
import { functionsNamed } from '../expression/run/function-table.js'
import type { CallExpression } from '../parse/ast.js'
import { isOf, pathAt } from './path-at.js'
import { writtenSignature } from './signature.js'

export interface Signatures {
  /** As `slice(s, from, to)`, each with what it does; several where a name has several. */
  readonly usages: readonly { readonly usage: string; readonly text?: string }[]
  /** From 0. */
  readonly argument: number
}

/** Of the innermost call whose parentheses are around the place. */
export const signaturesAt = ({ program }: Compiled, offset: number): Signatures | undefined => {
  const calls = pathAt(program.entry.module.program, offset).filter(isOf('call')) as unknown as CallExpression[]
  const call = calls.findLast(({ function: name, span }) => name.span.end < offset && offset < span.end)
  if (!call) return undefined
  const usages = usagesOf(call, program.entry)
  const argument = call.arguments.filter(({ span }) => span.end < offset).length
  return usages.length === 0 ? undefined : { usages, argument }
}

const usagesOf = ({ module, function: name }: CallExpression, entry: Compiled['program']['entry']): Signatures['usages'] => {
  const bound = (module ? entry.modules.get(module.text) : entry)?.bindings.get(name.text)
  if (bound) return [{ usage: `${name.text}${writtenSignature(bound)}` }]
  return module ? [] : functionsNamed(name.text).map(({ usage, text }) => ({ usage, text }))
}
