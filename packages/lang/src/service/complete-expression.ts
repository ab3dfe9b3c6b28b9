// Inside an expression: the fields of what it is applied to, functions and words; behind a dot the fields of what stands before it.

import type { Program } from '../compile.js'
import { fieldsOf } from '../expression/infer/fields.js'
import { FUNCTIONS } from '../expression/run/function.js'
import type { Node } from '../parse/ast.js'
import type { Type } from '../types/type.js'
import { type Completion, keywords } from './completion.js'
import { PLACEHOLDER } from './completion-text.js'
import { expressionAt } from './expression-at.js'
import { printPortType } from './signature.js'

export const expressionCompletions = (path: readonly Node[], program: Program): Completion[] | undefined => {
  const place = expressionAt(path, program)
  if (!place) return undefined
  const { part, input, facts } = place
  if (part.kind === 'field' && part.field.text === PLACEHOLDER) return fields(facts.get(part.of)?.type)
  if (part.kind === 'call' && part.function.text === PLACEHOLDER) return functions()
  if (part.kind !== 'name' || part.name !== PLACEHOLDER) return []
  return [
    ...fields(input),
    { label: 'value', kind: 'parameter', detail: printPortType(input) },
    ...functions(),
    ...keywords('if', 'not', 'true', 'false', 'null'),
  ]
}

export const fields = (type: Type | undefined): Completion[] =>
  [...((type && fieldsOf(type)) ?? [])].map(([label, { type: of, absence }]) => ({
    label,
    kind: 'field',
    detail: printPortType(of) + (absence === 'maybe' ? ' (may be absent)' : ''),
  }))

const functions = (): Completion[] => [
  { label: 'has', kind: 'function', detail: 'has(x) : bool' },
  ...[...FUNCTIONS].map(([label, { usage }]): Completion => ({ label, kind: 'function', detail: usage })),
]
