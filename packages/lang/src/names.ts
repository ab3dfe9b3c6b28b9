// What each name of a module stands for: its types and bindings, and those of the modules it uses.

import { nearest } from '@plumb/wire/nearest'
import type { Binding, Name, QualifiedName } from './ast.js'
import type { Report } from './diagnostic.js'
import type { Module } from './modules.js'
import type { Span } from './source.js'
import type { NamedType, Type } from './types/type.js'

export interface Scope {
  readonly module: Module
  readonly types: Map<string, NamedType>
  /** Declared types that have errors: what mentions them is unknown, and not complained of again. */
  readonly brokenTypes: Set<NamedType>
  readonly bindings: Map<string, Bound>
  readonly modules: Map<string, Scope>
}

/** A binding with what its signature says. A type is undefined where it is unknown because of an error already told. */
export interface Bound {
  readonly name: string
  readonly binding: Binding
  readonly scope: Scope
  /** `stream`: ports with `!`; `base`: bare types; `value`: a config value; `unknown`: its signature has an error. */
  readonly category: 'stream' | 'base' | 'value' | 'unknown'
  readonly inputs: readonly (Type | undefined)[]
  readonly outputs: readonly (Type | undefined)[]
  readonly description?: string
  /** Agents may be given it: a `tool { … }`, or a bare morphism under `@tool`. */
  readonly isTool: boolean
}

/** `'unknown'` where the name, or the module, has an error already told. */
export const findBinding = (name: QualifiedName, scope: Scope, report: Report, isWanted: (b: Bound) => boolean = () => true): Bound | 'unknown' => {
  const home = homeOf(name, scope, report)
  if (home === 'unknown') return 'unknown'
  const found = home.bindings.get(name.name.text)
  if (found) return found
  if (home.module.program.broken.includes(name.name.text)) return 'unknown'
  const candidates = [...home.bindings.values()].filter(isWanted).map((b) => b.name)
  return notFound('unknown_name', `no binding is named '${shown(name)}'`, name.name, candidates, report)
}

export const findType = (name: QualifiedName, scope: Scope, report: Report): NamedType | 'unknown' => {
  const home = homeOf(name, scope, report)
  if (home === 'unknown') return 'unknown'
  const found = home.types.get(name.name.text)
  if (found) return home.brokenTypes.has(found) ? 'unknown' : found
  if (home.module.program.broken.includes(name.name.text)) return 'unknown'
  const candidates = [...home.types.keys(), 'string', 'int', 'number', 'bool', 'unit', 'json']
  return notFound('unknown_type', `no type is named '${shown(name)}'`, name.name, candidates, report)
}

const homeOf = (name: QualifiedName, scope: Scope, report: Report): Scope | 'unknown' => {
  if (!name.module) return scope
  const home = scope.modules.get(name.module.text)
  if (home) return home
  if (scope.module.missing.has(name.module.text)) return 'unknown'
  const candidates = scope.modules.keys()
  return notFound('unknown_module', `no module is named '${name.module.text}'`, name.module, candidates, report, `write 'use ${name.module.text.toLowerCase()}' first`)
}

const notFound = (
  code: 'unknown_name' | 'unknown_type' | 'unknown_module',
  message: string,
  name: Name,
  candidates: Iterable<string>,
  report: Report,
  otherwise?: string,
): 'unknown' => {
  const near = nearest(name.text, candidates)
  const help = near === undefined ? otherwise : `did you mean '${near}'?`
  report({ severity: 'error', code, message, span: name.span, ...(help === undefined ? {} : { help }) })
  return 'unknown'
}

export const shown = (name: QualifiedName): string => (name.module ? `${name.module.text}.${name.name.text}` : name.name.text)

/** Both places of a name that is declared twice. */
export const reportDuplicate = (what: string, name: string, first: Span, second: Span, report: Report): void =>
  report({
    severity: 'error',
    code: 'duplicate_name',
    message: `${what} '${name}' is declared twice`,
    span: second,
    related: [{ message: 'the first one is here', span: first }],
    help: 'rename or delete one of them',
  })
