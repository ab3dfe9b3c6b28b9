// Inside an expression: the fields of what it is applied to, functions and words; behind a dot the fields of what stands before it.

import type { Program } from '../compile.js'
import type { Local } from '../expression/infer/environment.js'
import { fieldsOf } from '../expression/infer/fields.js'
import { FUNCTIONS, functionsNamed } from '../expression/run/function-table.js'
import type { Node } from '../parse/ast.js'
import type { Type } from '../types/type.js'
import { type Completion, keywords, paramCompletions } from './completion.js'
import { PLACEHOLDER } from './completion-text.js'
import { expressionAt } from './expression-at.js'
import { printPortType } from './signature.js'

export const expressionCompletions = (path: readonly Node[], program: Program): Completion[] | undefined => {
  const place = expressionAt(path, program)
  if (!place) return undefined
  const { part, input, known } = place
  if (part.kind === 'field' && part.field.text === PLACEHOLDER) return fields(known.facts.get(part.of)?.type)
  if (part.kind === 'call' && part.function.text === PLACEHOLDER) return functions()
  if (part.kind !== 'name' || part.name !== PLACEHOLDER) return []
  return [
    ...locals(known.scopes.get(part)),
    ...fields(input),
    { label: 'value', kind: 'parameter', detail: printPortType(input) },
    ...paramCompletions(program.entry),
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

// Of two with one name the inner one is meant.
const locals = (scope: Local | undefined): Completion[] => {
  const names = new Map<string, Completion>()
  for (let local = scope; local; local = local.outer) {
    if (!names.has(local.name)) names.set(local.name, { label: local.name, kind: 'parameter', detail: printPortType(local.type) })
  }
  return [...names.values()]
}

const functions = (): Completion[] => [
  { label: 'has', kind: 'function', detail: 'has(x) : bool' },
  ...[...new Set(FUNCTIONS.map(({ name }) => name))].map((label): Completion => ({ label, kind: 'function', detail: usagesOf(label) })),
]

const usagesOf = (name: string): string =>
  functionsNamed(name)
    .map(({ usage }) => usage)
    .filter((usage, i, all) => all.indexOf(usage) === i)
    .join(' or ')
