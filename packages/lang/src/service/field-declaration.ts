// From a field of a type to where it is declared, as far as the type has a name.

import type { Program } from '../compile.js'
import type { Span } from '../diagnostic/source.js'
import type { Scope } from '../names/names.js'
import type { TypeDeclaration, TypeExpression } from '../parse/ast.js'
import type { NamedType, Type } from '../types/type.js'

/** The name of the field in the declaration of the type; in that of the first variant that has it. */
export const fieldDeclaration = (type: Type, field: string, program: Program, seen = new Set<Type>()): Span | undefined => {
  if (seen.has(type)) return undefined
  seen.add(type)
  if (type.kind === 'sum') return firstOf(type.variants, (variant) => fieldDeclaration(variant, field, program, seen))
  if (type.kind !== 'named') return undefined
  const declared = typeDeclaration(type, program)
  return declared && inExpression(declared.declaration.type, declared.scope, field, program, seen)
}

export const typeDeclaration = (type: NamedType, { scopes }: Program): { declaration: TypeDeclaration; scope: Scope } | undefined => {
  const scope = scopes.find((s) => s.types.get(type.name) === type)
  const declaration = scope?.module.program.items.find((item) => item.kind === 'type' && item.name.text === type.name)
  return scope && declaration?.kind === 'type' ? { declaration, scope } : undefined
}

const inExpression = (e: TypeExpression, scope: Scope, field: string, program: Program, seen: Set<Type>): Span | undefined => {
  switch (e.kind) {
    case 'record':
      return e.fields.find((f) => f.name.text === field)?.name.span
    case 'labelled':
      return inExpression(e.type, scope, field, program, seen)
    case 'sum':
      return firstOf(e.variants, (variant) => inExpression(variant, scope, field, program, seen))
    case 'named': {
      const { module, name } = e.name
      const named = (module ? scope.modules.get(module.text) : scope)?.types.get(name.text)
      return named && fieldDeclaration(named, field, program, seen)
    }
    default:
      return undefined
  }
}

const firstOf = <A, B>(list: readonly A[], f: (a: A) => B | undefined): B | undefined => {
  for (const a of list) {
    const b = f(a)
    if (b !== undefined) return b
  }
  return undefined
}
