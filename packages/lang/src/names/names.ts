// What each name of a module refers to: its types and bindings, and those of the modules it uses.

import { nearest } from '@plumb/wire/nearest'
import { preview } from '@plumb/wire/preview'
import type { Automaton } from '@plumb/wire/protocol'
import { error, errorWithSearch, type Report } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import type { Binding, Expression, Name, ParamDeclaration, ProtocolDeclaration, QualifiedName } from '../parse/ast.js'
import { isForeignHome, ownFunction, ownType, ownWay } from '../parse/foreign.js'
import { ownTypeWay } from '../parse/foreign-type.js'
import { PRIMITIVES } from '../parse/type.js'
import { BUILT_IN_TYPES } from '../types/failure.js'
import type { Json, NamedType, Type } from '../types/type.js'
import type { Module } from './modules.js'

export interface Scope {
  readonly module: Module
  readonly types: Map<string, NamedType>
  /** Declared types with errors: types that mention them are unknown, without a further report. */
  readonly brokenTypes: Set<NamedType>
  /** They share the space of names of the types. */
  readonly protocols: Map<string, Protocol>
  readonly bindings: Map<string, Bound>
  readonly params: Map<string, Param>
  /** The values of config bindings; those with errors are missing. */
  readonly values: Map<string, ConfigValue>
  readonly modules: Map<string, Scope>
  /** How an expression calls a pure bare binding. Only for a program without errors. */
  readonly open: (bound: Bound) => Callable
}

/** JSON text, followed by at least one byte. */
export interface Text {
  readonly buf: Buffer
  readonly start: number
  readonly end: number
}

export interface Callable {
  readonly apply: Apply
  /** The maps that it consists of, in order. Undefined: it has other parts, or needs run-time checks in between. */
  readonly steps: readonly MapStep[] | undefined
}

/** The result of a bare binding for a message. Throws like an expression if there is none. */
export type Apply = (message: Text) => Text

export interface MapStep {
  readonly expression: Expression
  readonly input: Type
  readonly scope?: Scope | undefined
}

/** A config value with all names in it replaced. */
export interface ConfigValue {
  readonly json: Json
  /** In parts and characters: values that repeatedly name others twice grow fast. */
  readonly size: number
  readonly depth: number
  /** It contains a param without a value yet: its stand-in means nothing. */
  readonly isUnknown: boolean
}

export interface Protocol {
  readonly name: string
  readonly declaration: ProtocolDeclaration
  readonly scope: Scope
  /** What it is for, by its steps; `either` has labels alone. Set, as what follows, once all types are known. */
  use: 'tools' | 'processes' | 'either'
  /** Undefined: it has an error, already reported. */
  automaton: Automaton | undefined
  /** The types of its messages, by the numbers of its edges. */
  messages: readonly Type[]
}

/** The end of a conversation. */
export interface EndPoint {
  readonly protocol: Protocol
  /** `~P`: hears what P sends, and says what P receives. */
  readonly isDual: boolean
  readonly span: Span
}

/** A constant whose value may come from outside. */
export interface Param {
  readonly name: string
  readonly declaration: ParamDeclaration
  readonly scope: Scope
  /** Undefined if it has an error, already reported. */
  readonly type: Type | undefined
  /** JSON text: the given value, else its default. Undefined: neither, which prevents a run but not a check. */
  readonly text: string | undefined
}

/** A binding with its signature. A type is undefined if it is unknown because of an error already reported. */
export interface Bound {
  readonly name: string
  readonly binding: Binding
  readonly scope: Scope
  /** `stream`: ports with `!`; `base`: bare types; `value`: a config value; `unknown`: its signature has an error. */
  readonly category: 'stream' | 'base' | 'value' | 'unknown'
  readonly inputs: readonly (Type | undefined)[]
  readonly outputs: readonly (Type | undefined)[]
  /** Its ends of conversations, by the number of the input. What comes to one has its place among the inputs; what it says is behind the outputs, but for an agent, whose end is its control. */
  readonly ends: ReadonlyMap<number, EndPoint>
  readonly description?: string
  readonly version?: string
  /** Under `@shared`: where it is served, its folds are one for all requests. */
  readonly isShared?: true
  /** The path of `@serve`. */
  readonly served?: string
  /** Agents may use it: a `tool { … }`, or a bare morphism under `@tool`. */
  readonly isTool: boolean
}

/** `'unknown'` if the name, or the module, has an error already reported. */
export const findBinding = (
  name: QualifiedName,
  scope: Scope,
  report: Report,
  isWanted: (b: Bound) => boolean = () => true,
  /** Other names of the place, and the help where none is near. */
  { others = () => [], otherwise }: { readonly others?: () => Iterable<string>; readonly otherwise?: string | undefined } = {},
): Bound | 'unknown' => {
  const home = homeOf(name, scope, report)
  if (home === 'unknown') return 'unknown'
  const found = home.bindings.get(name.name.text)
  if (found) return found
  if (home.module.program.broken.has(name.name.text)) return 'unknown'
  if (home.params.has(name.name.text)) {
    const message = `'${preview(printName(name))}' is a param, a constant of expressions and config values`
    report(error('not_a_process', message, name.span))
    return 'unknown'
  }
  const other = home.protocols.has(name.name.text) ? 'a protocol' : home.types.has(name.name.text) ? 'a type' : undefined
  if (other) {
    report(error('not_a_process', `'${preview(printName(name))}' is ${other}, and no process`, name.span))
    return 'unknown'
  }
  // `words.shout` where the module is called Words.
  const candidates = () => [
    ...[...home.bindings.values()].filter(isWanted).map((b) => b.name),
    ...(name.module ? [] : [...scope.modules.keys(), ...others()]),
  ]
  const message = `no binding is named '${preview(printName(name))}'`
  return notFound('unknown_name', message, name.name, candidates, report, otherwise)
}

/** `'unknown'` if there is none, which is reported. */
export const findParam = (name: QualifiedName, scope: Scope, report: Report): Param | 'unknown' => {
  const home = homeOf(name, scope, report)
  if (home === 'unknown') return 'unknown'
  const found = home.params.get(name.name.text)
  if (found) return found
  if (home.module.program.broken.has(name.name.text)) return 'unknown'
  const message = `no param is named '${preview(printName(name))}'`
  return notFound('unknown_name', message, name.name, () => [...home.params.keys()], report, 'write a literal or a param')
}

/** Without a report. */
export const resolveName = ({ module, name }: QualifiedName, scope: Scope): Bound | undefined => {
  const home = module ? scope.modules.get(module.text) : scope
  return home?.bindings.get(name.text)
}

/** Without a report. */
export const resolveParam = ({ module, name }: QualifiedName, scope: Scope): Param | undefined => {
  const home = module ? scope.modules.get(module.text) : scope
  return home?.params.get(name.text)
}

export const findType = (name: QualifiedName, scope: Scope, report: Report): NamedType | 'unknown' => {
  const home = homeOf(name, scope, report)
  if (home === 'unknown') return 'unknown'
  const found = home.types.get(name.name.text)
  if (found) return home.brokenTypes.has(found) ? 'unknown' : found
  if (home.module.program.broken.has(name.name.text)) return 'unknown'
  if (home.protocols.has(name.name.text)) {
    const help = "the end of a conversation stands among the inputs of a signature, or in a channel, alone and without '!'"
    report(error('protocol_invalid', `'${preview(printName(name))}' is a protocol, and no type of messages`, name.span, help))
    return 'unknown'
  }
  const builtIn = name.module ? undefined : BUILT_IN_TYPES.get(name.name.text)
  if (builtIn) return builtIn
  const candidates = () => [...home.types.keys(), ...home.protocols.keys(), ...BUILT_IN_TYPES.keys(), ...(name.module ? [] : PRIMITIVES)]
  const meant = name.module ? undefined : ownType(name.name.text)
  const message = `no type is named '${preview(printName(name))}'`
  const quoted = /^[a-z]/.test(name.name.text) ? `a text is a type in quotes, as in "a" | "b"` : undefined
  const way = name.module ? undefined : (ownTypeWay(name.name.text) ?? quoted)
  return notFound('unknown_type', message, name.name, meant === undefined ? candidates : [meant], report, way)
}

/** Without a report. */
export const resolveType = ({ module, name }: QualifiedName, scope: Scope): NamedType | undefined => {
  const home = module ? scope.modules.get(module.text) : scope
  return home?.types.get(name.text) ?? (module ? undefined : BUILT_IN_TYPES.get(name.text))
}

/** `'unknown'` if there is none, or it has an error, which is reported. */
export const findProtocol = (name: QualifiedName, scope: Scope, report: Report): Protocol | 'unknown' => {
  const home = homeOf(name, scope, report)
  if (home === 'unknown') return 'unknown'
  const { text } = name.name
  const found = home.protocols.get(text)
  if (found) return found
  if (home.module.program.broken.has(text)) return 'unknown'
  if (home.types.has(text)) {
    const help = `a message of that type is a step: 'send ${printName(name)}' or 'recv ${printName(name)}'`
    report(error('protocol_invalid', `'${preview(printName(name))}' is a type, and no protocol`, name.span, help))
    return 'unknown'
  }
  const message = `no protocol is named '${preview(printName(name))}'`
  return notFound('unknown_name', message, name.name, () => [...home.protocols.keys()], report, "declare it: 'protocol NAME = …'")
}

/** Without a report. */
export const resolveProtocol = ({ module, name }: QualifiedName, scope: Scope): Protocol | undefined => {
  const home = module ? scope.modules.get(module.text) : scope
  return home?.protocols.get(name.text)
}

const homeOf = (name: QualifiedName, scope: Scope, report: Report): Scope | 'unknown' => {
  if (!name.module) return scope
  const { text } = name.module
  const home = scope.modules.get(text)
  if (home) return home
  if (scope.module.missing.has(text)) return 'unknown'
  return notFound(
    'unknown_module',
    `no module is named '${preview(text)}'`,
    name.module,
    () => [...scope.modules.keys()],
    report,
    isForeignHome(text)
      ? (ownWay(name.name.text) ?? `functions are in no module: write ${ownFunction(name.name.text) ?? name.name.text}(…)`)
      : `write 'use ${text.toLowerCase()}' first`,
  )
}

const notFound = (
  code: 'unknown_name' | 'unknown_type' | 'unknown_module',
  message: string,
  { text, span }: Name,
  /** A list: the one that is meant. */
  candidates: readonly [string] | (() => readonly string[]),
  report: Report,
  otherwise?: string,
): 'unknown' => {
  const search = () => {
    const near = typeof candidates === 'function' ? nearest(text, candidates()) : candidates[0]
    return near === undefined ? otherwise : `did you mean '${near}'?`
  }
  report(errorWithSearch(code, message, span, search))
  return 'unknown'
}

export const printName = (name: QualifiedName): string => (name.module ? `${name.module.text}.${name.name.text}` : name.name.text)
