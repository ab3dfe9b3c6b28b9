// A single name as an expression: a field of the input, a bare binding (in map), or the whole input.

import { type Report, warning } from '../diagnostic/diagnostic.js'
import { fieldsOf } from '../expression/infer/fields.js'
import { isNearName } from '../expression/infer/name.js'
import { isFunction } from '../expression/run/function-table.js'
import type { Scope } from '../names/names.js'
import type { Expression, QualifiedName } from '../parse/ast.js'
import { isJson } from '../types/kind.js'
import type { Type } from '../types/type.js'

/** The binding that a single name refers to. Fields of the input take precedence. */
export const bindingNamedBy = (e: Expression, input: Type, scope: Scope): QualifiedName | undefined => {
  const { module } = scope
  const { span } = e
  if (e.kind === 'name') {
    const isDeclared = scope.bindings.has(e.name) || module.program.broken.has(e.name)
    return isDeclared && !isTaken(e.name, input) ? { name: { text: e.name, span }, span } : undefined
  }
  if (e.kind !== 'field' || e.of.kind !== 'name') return undefined
  const { name, span: place } = e.of
  const isModule = scope.modules.has(name) || module.missing.has(name)
  const isParam = scope.modules.get(name)?.params.has(e.field.text) === true
  return isModule && !isParam && !isTaken(name, input) ? { module: { text: name, span: place }, name: e.field, span } : undefined
}

const isTaken = (name: string, input: Type): boolean => name === 'value' || fieldsOf(input)?.has(name) === true

/** Probably a misspelt name: a record has known fields, any other type accepts any name. */
export const warnLoneName = (e: Expression, input: Type, word: 'map' | 'filter', scope: Scope, report: Report): void => {
  if (e.kind !== 'name' || e.name === 'value' || fieldsOf(input) || isJson(input) || scope.params.has(e.name)) return
  if (isNearName(e, scope)) return
  const message = `'${e.name}' names no field and no binding: it means the whole input`
  const help = isFunction(e.name)
    ? `'${e.name}' is a function: write ${word}(${e.name}(value))`
    : `write '${word}(value)', if that is meant`
  report(warning('lone_name', message, e.span, help))
}
