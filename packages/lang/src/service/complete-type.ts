// Where a type is wanted: the types of the language, of the file, and after a dot those of a module.

import type { Program } from '../compile.js'
import type { Scope } from '../names/names.js'
import type { NamedTypeNode, Node } from '../parse/ast.js'
import { BUILT_IN_TYPES } from '../types/failure.js'
import { printType } from '../types/print.js'
import { type Completion, keywords, moduleCompletions } from './completion.js'
import { isOf } from './path-at.js'

export const typeCompletions = (path: readonly Node[], { entry }: Program): Completion[] | undefined => {
  const node = path.find(isOf('named')) as NamedTypeNode | undefined
  if (!node) return undefined
  const { module } = node.name
  if (module) return typesOf(entry.modules.get(module.text))
  return [
    ...typesOf(entry),
    ...keywords('string', 'int', 'number', 'bool', 'unit', 'json', 'untrusted', 'secret'),
    ...BUILT_IN,
    ...moduleCompletions(entry),
  ]
}

const typesOf = (scope: Scope | undefined): Completion[] =>
  [...(scope?.types.values() ?? [])].map((type) => ({ label: type.name, kind: 'type', detail: printType(type.target) }))

const BUILT_IN: readonly Completion[] = [...BUILT_IN_TYPES.values()].map(({ name, target }) => ({
  label: name,
  kind: 'type',
  detail: printType(target),
}))
