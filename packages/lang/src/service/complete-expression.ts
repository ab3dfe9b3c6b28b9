// Inside an expression: the fields of what it is applied to, functions and words; after a dot the fields of what is before it.

import type { Program } from '../compile.js'
import { mayCallTool } from '../expression/infer/callee.js'
import type { Local } from '../expression/infer/environment.js'
import { fieldsOf, someFieldsOf } from '../expression/infer/fields.js'
import { allFunctions, functionsNamed } from '../expression/run/function-table.js'
import type { Scope } from '../names/names.js'
import type { CallExpression, FieldExpression, Node } from '../parse/ast.js'
import type { Type } from '../types/type.js'
import { bindingCompletions, type Completion, keywords, moduleCompletions, paramCompletions } from './completion.js'
import { PLACEHOLDER } from './completion-text.js'
import { expressionAt } from './expression-at.js'
import { isOf } from './path-at.js'
import { printPortType } from './signature.js'

export const expressionCompletions = (path: readonly Node[], program: Program): Completion[] | undefined => {
  const place = expressionAt(path, program)
  if (!place) return undefined
  const { part, input, known } = place
  // A map of a tool is its name and no more: map(search).
  const isAllOfMap = path.some((node) => isOf('map')(node) && (node as { expression?: Node }).expression === part)
  const callables = (scope: Scope): Completion[] =>
    bindingCompletions(scope, (b) => b.category === 'base' && (isAllOfMap || !mayCallTool(b)))
  const member = part.kind === 'field' || part.kind === 'call' ? memberHome(part, program) : undefined
  if (member) return [...paramCompletions(member), ...callables(member)]
  // What only some variants of a sum have can be asked for.
  const isAsked = path.some((node) => isOf('call')(node) && isQuestion(node as CallExpression, part))
  if (part.kind === 'field' && part.field.text === PLACEHOLDER) return fields(known.facts.get(part.of)?.type, isAsked)
  if (part.kind === 'call' && part.function.text === PLACEHOLDER) return [...callables(program.entry), ...functions()]
  if (part.kind !== 'name' || part.name !== PLACEHOLDER) return []
  return [
    ...locals(known.scopes.get(part)),
    ...fields(known.inputs.get(part) ?? input, isAsked).filter(({ insert }) => insert === undefined),
    { label: 'value', kind: 'parameter', detail: printPortType(input) },
    ...paramCompletions(program.entry),
    ...callables(program.entry),
    ...moduleCompletions(program.entry),
    ...functions(),
    ...keywords('if', 'let', 'match', 'not', 'true', 'false', 'null'),
  ]
}

// Behind the dot of a module.
const memberHome = (part: FieldExpression | CallExpression, { entry }: Program): Scope | undefined => {
  const isPlace = (part.kind === 'field' ? part.field : part.function).text === PLACEHOLDER
  const name = part.kind === 'call' ? part.module?.text : part.of.kind === 'name' ? part.of.name : undefined
  return isPlace && name !== undefined ? entry.modules.get(name) : undefined
}

const isQuestion = (call: CallExpression, part: Node): boolean => call.function.text === 'has' && call.arguments[0] === part

export const fields = (type: Type | undefined, isAsked = false): Completion[] =>
  [...((type && (isAsked ? someFieldsOf(type) : fieldsOf(type))) ?? [])].map(([label, { type: of, absence }]) => ({
    label,
    kind: 'field',
    detail: printPortType(of) + (absence === 'maybe' ? ' (may be absent)' : ''),
    ...(IDENTIFIER.test(label) ? {} : { insert: JSON.stringify(label) }),
  }))

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/

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
  ...[...new Set(allFunctions().map(({ name }) => name))].map(
    (label): Completion => ({ label, kind: 'function', detail: usagesOf(label) }),
  ),
]

const usagesOf = (name: string): string =>
  functionsNamed(name)
    .map(({ usage }) => usage)
    .filter((usage, i, all) => all.indexOf(usage) === i)
    .join(' or ')
