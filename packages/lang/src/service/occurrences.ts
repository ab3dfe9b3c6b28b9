// Every name in a file that means something declared, with what it means. Fields are known by type, not by name: field-declaration.ts.

import { agentKeys } from '../check/agent.js'
import type { KeyTable } from '../check/config.js'
import { toolKeys } from '../check/tool.js'
import type { Span } from '../diagnostic/source.js'
import { unreachable } from '../diagnostic/unreachable.js'
import { callsOf } from '../expression/infer/callee.js'
import { memberOf } from '../names/member.js'
import { aliasOf } from '../names/modules.js'
import type { Bound, Scope } from '../names/names.js'
import type {
  Binding,
  Chain,
  Expression,
  MatchExpression,
  Name,
  ObjectValue,
  PlumbImplementation,
  ProtocolDeclaration,
  QualifiedName,
  Setting,
  TestDeclaration,
  TypeExpression,
  Value,
} from '../parse/ast.js'
import { partsOfChain } from '../parse/chain-parts.js'
import { visitNodes } from '../parse/visit.js'
import { stepsWithin } from '../protocol/steps.js'
import { type Flow, flowOf, knownOf } from './flow.js'
import { type Locals, localsOf } from './locals.js'
import { portOf, type SymbolInfo } from './symbol.js'

export interface Occurrence {
  /** Of the name alone, without its module or quotes. */
  readonly span: Span
  /** It is a field of a record too, `{ name }`. */
  readonly isShorthand?: boolean
  readonly meaning: SymbolInfo
}

export const occurrencesIn = (scope: Scope): readonly Occurrence[] => {
  const found: Occurrence[] = []
  const names: Names = {
    scope,
    flow: () => NO_FLOW,
    note: (span, meaning, isShorthand) => void (meaning && found.push({ span, meaning, ...(isShorthand ? { isShorthand } : {}) })),
  }
  for (const item of scope.module.program.items) {
    if (item.kind === 'use') names.note((item.as ?? item.target).span, moduleSymbol(aliasOf(item), scope))
    if (item.kind === 'type') {
      names.note(item.name.span, { kind: 'type', declaration: item, scope })
      inType(item.type, names)
    }
    if (item.kind === 'param') {
      inType(item.type, names)
      const param = scope.params.get(item.name.text)
      if (param?.declaration === item) names.note(item.name.span, { kind: 'param', param })
    }
    if (item.kind === 'protocol') inProtocol(item, names)
    if (item.kind === 'binding') inBinding(item, names)
    if (item.kind === 'test') inTest(item, names)
  }
  return found
}

/** The name under a place, or directly before it. */
export const occurrenceAt = (scope: Scope, offset: number): Occurrence | undefined =>
  occurrencesIn(scope).findLast(({ span }) => span.start <= offset && offset <= span.end)

interface Names {
  readonly scope: Scope
  /** Of the binding that is being read. */
  flow: () => Flow
  note(span: Span, meaning: SymbolInfo | undefined, isShorthand?: boolean): void
}

const NO_FLOW: Flow = { inputs: new Map(), nodes: new Map(), lifted: new Map(), exits: new Map(), states: new Map() }

export const moduleSymbol = (name: string, scope: Scope): SymbolInfo | undefined => {
  const use = scope.module.program.items.find((item) => item.kind === 'use' && aliasOf(item) === name)
  return use?.kind === 'use' ? { kind: 'module', use, scope: scope.modules.get(name) } : undefined
}

export const bindingSymbol = (name: string, scope: Scope | undefined): SymbolInfo | undefined => {
  const bound = scope?.bindings.get(name)
  return bound && { kind: 'binding', bound }
}

const paramSymbol = (name: string, scope: Scope | undefined): SymbolInfo | undefined => {
  const param = scope?.params.get(name)
  return param && { kind: 'param', param }
}

/** What a name in a config value stands for. */
const valueSymbol = (name: string, scope: Scope | undefined): SymbolInfo | undefined =>
  paramSymbol(name, scope) ?? bindingSymbol(name, scope)

/** What a name where a type can stand is: of a type, or of a protocol. */
export const typeSymbol = (name: string, scope: Scope | undefined): SymbolInfo | undefined => {
  const protocol = scope?.protocols.get(name)
  if (protocol) return { kind: 'protocol', protocol }
  const declaration = scope?.module.program.items.find((item) => item.kind === 'type' && item.name.text === name)
  return scope && declaration?.kind === 'type' ? { kind: 'type', declaration, scope } : undefined
}

// Notes the module, if it has one, and then the name as `find` knows it.
const qualified = (
  { module, name }: QualifiedName,
  names: Names,
  find: (name: string, home: Scope | undefined) => SymbolInfo | undefined,
): SymbolInfo | undefined => {
  if (module) names.note(module.span, moduleSymbol(module.text, names.scope))
  const meaning = find(name.text, module ? names.scope.modules.get(module.text) : names.scope)
  names.note(name.span, meaning)
  return meaning
}

const inType = (type: TypeExpression, names: Names): void => {
  switch (type.kind) {
    case 'named':
      qualified(type.name, names, typeSymbol)
      return
    case 'labelled':
      inType(type.type, names)
      return
    case 'array':
    case 'map':
      inType(type.item, names)
      return
    case 'tuple':
      for (const item of type.items) inType(item, names)
      return
    case 'record':
      for (const field of type.fields) inType(field.type, names)
      return
    case 'sum':
      for (const variant of type.variants) inType(variant, names)
      return
    case 'primitive':
    case 'literal':
      return
    default:
      unreachable(type)
  }
}

const inProtocol = ({ name, steps }: ProtocolDeclaration, names: Names): void => {
  const protocol = names.scope.protocols.get(name.text)
  if (protocol?.declaration.name === name) names.note(name.span, { kind: 'protocol', protocol })
  for (const { list } of stepsWithin(steps)) {
    for (const step of list) {
      if (step.kind === 'send' || step.kind === 'recv') inType(step.type, names)
      if (step.kind === 'named') qualified(step.name, names, typeSymbol)
    }
  }
}

const inBinding = (binding: Binding, names: Names): void => {
  const bound = names.scope.bindings.get(binding.name.text)
  for (const port of [...(binding.signature?.inputs ?? []), ...(binding.signature?.outputs ?? [])]) inType(port.type, names)
  // The second of two bindings of one name can never be referred to.
  if (bound?.binding !== binding) return
  names.note(binding.name.span, { kind: 'binding', bound })
  let flow: Flow | undefined
  names.flow = () => {
    flow ??= flowOf(bound)
    return flow
  }
  const { impl } = binding
  switch (impl.kind) {
    case 'agent':
      inConfig(impl.config, agentKeys(), names)
      return
    case 'tool':
      inConfig(impl.config, toolKeys(), names)
      return
    case 'object':
      inValue(impl, names)
      return
    case 'plumb':
      inBody(bound, impl, names)
      return
    default:
      inChain(impl, names, new Map())
  }
}

const inConfig = (config: ObjectValue, table: KeyTable, names: Names): void => {
  for (const { key, value } of config.entries) {
    if (key.text === 'protocol' && value.kind === 'name') qualified(value.name, names, typeSymbol)
    else inValue(value, names)
    if (!Object.hasOwn(table, key.text) || !table[key.text]?.isNames) continue
    for (const part of value.kind === 'list' ? value.items : [value]) inString(part, names)
  }
}

const inValue = (value: Value, names: Names): void => {
  if (value.kind === 'name') qualified(value.name, names, valueSymbol)
  if (value.kind === 'condition') inExpression(value.expression, names)
  if (value.kind === 'list') for (const item of value.items) inValue(item, names)
  if (value.kind === 'object') for (const entry of value.entries) inValue(entry.value, names)
}

/** Keys of a test whose own keys name bindings. */
const NAMING: ReadonlySet<string> = new Set(['models', 'tools', 'calls'])

const inTest = ({ of, config }: TestDeclaration, names: Names): void => {
  qualified(of, names, bindingSymbol)
  for (const { key, value } of config.entries) {
    if (NAMING.has(key.text) && value.kind === 'object') for (const entry of value.entries) inKey(entry.key, names)
    if (key.text !== 'live' && key.text !== 'judge') continue
    for (const part of value.kind === 'list' ? value.items : [value]) {
      if (part.kind === 'value') inString(part, names)
      else if (part.kind === 'name') qualified(part.name, names, bindingSymbol)
    }
  }
}

const inKey = (key: Name, names: Names): void => {
  const { source, start, end } = key.span
  const isQuoted = source.text[start] === '"'
  if (isQuoted) inString({ kind: 'value', value: key.text, text: source.text.slice(start, end), span: key.span }, names)
  else qualified({ name: key, span: key.span }, names, bindingSymbol)
}

// Where a key takes names they may be in quotes: `tools: ["double", "Fs.read"]`.
const inString = (value: Value, names: Names): void => {
  if (value.kind !== 'value' || typeof value.value !== 'string') return
  const { source, start, end } = value.span
  if (source.text.slice(start + 1, end - 1) !== value.value) return
  const [first = '', second] = value.value.split('.')
  const at = (text: string, from: number): Name => ({ text, span: { source, start: from, end: from + text.length } })
  if (second === undefined) qualified({ name: at(first, start + 1), span: value.span }, names, bindingSymbol)
  else qualified({ module: at(first, start + 1), name: at(second, start + 2 + first.length), span: value.span }, names, bindingSymbol)
}

const inBody = (bound: Bound, impl: PlumbImplementation, names: Names): void => {
  const locals = localsOf(bound, impl)
  for (const name of impl.parameters) names.note(name.span, locals.get(name.text))
  for (const s of impl.statements) {
    if (s.kind === 'wire') inChain(s.chain, names, locals)
    if (s.kind === 'channel') {
      names.note(s.name.span, locals.get(s.name.text))
      inType(s.port.type, names)
    }
    if (s.kind === 'spawn') {
      const process = qualified(s.process, names, bindingSymbol)
      for (const { port, channel } of s.arguments) {
        if (port && process?.kind === 'binding') names.note(port.span, portOf(process.bound, port.text))
        noteLocal(channel, locals.get(channel.text), names)
      }
    }
  }
}

/** Of `s_in`, which is named after the parameter `s`, its name alone. */
const noteLocal = ({ span }: Name, meaning: SymbolInfo | undefined, names: Names): void => {
  const name = meaning?.kind === 'parameter' ? meaning.name.text : undefined
  names.note(name === undefined ? span : { ...span, end: Math.min(span.end, span.start + name.length) }, meaning)
}

const inChain = (chain: Chain, names: Names, locals: Locals): void => {
  switch (chain.kind) {
    case 'field':
      inChain(memberOf(chain, names.scope) ?? chain.of, names, locals)
      return
    case 'map': {
      const { expression } = chain
      const name = expression.kind === 'name' || expression.kind === 'field' ? names.flow().lifted.get(expression) : undefined
      if (name) qualified(name, names, bindingSymbol)
      else inExpression(expression, names)
      inSetting(chain.parallel, names)
      return
    }
    case 'filter':
      inExpression(chain.expression, names)
      return
    case 'fold':
      inExpression(chain.expression, names)
      inExpression(chain.from, names)
      if (chain.by) inExpression(chain.by, names)
      return
    case 'barrier':
      for (const key of chain.join?.by ?? []) inExpression(key, names)
      inSetting(chain.join?.within, names)
      return
    case 'batch':
      inSetting(chain.size, names)
      inSetting(chain.within, names)
      return
    case 'each':
      inChain(chain.chain, names, locals)
      inSetting(chain.parallel, names)
      return
    case 'trace':
      inChain(chain.chain, names, locals)
      if (chain.until) inExpression(chain.until, names)
      return
    case 'reference': {
      const local = chain.name.module ? undefined : locals.get(chain.name.name.text)
      if (local) noteLocal(chain.name.name, local, names)
      const process = local ?? qualified(chain.name, names, bindingSymbol)
      if (chain.port && process) names.note(chain.port.span, portBehind(process, chain.port.text))
      return
    }
    default:
      for (const part of partsOfChain(chain)) inChain(part, names, locals)
  }
}

const inSetting = (setting: Setting | undefined, names: Names): void => {
  if (setting?.kind === 'name') qualified(setting.name, names, paramSymbol)
}

const inExpression = (e: Expression, names: Names): void => {
  for (const { call } of callsOf(e, names.scope)) {
    const { module, function: name } = call
    qualified({ ...(module ? { module } : {}), name, span: call.span }, names, bindingSymbol)
  }
  visitNodes(e, (node) => {
    if (node.kind !== 'match') return
    for (const { pattern } of (node as unknown as MatchExpression).arms) if (pattern) inType(pattern.type, names)
  })
  if (!hasLocals(e) && names.scope.params.size === 0 && names.scope.modules.size === 0) return
  const { inputs, states } = names.flow()
  const input = inputs.get(e)
  if (!input) return
  const { declared, meanings, moduleParams, shorthands } = knownOf(e, input, names.scope, states.get(e))
  for (const [name, { type }] of declared) names.note(name.span, { kind: 'local', name, type })
  for (const [{ of, field }, param] of moduleParams) {
    if (of.kind === 'name') names.note(of.span, moduleSymbol(of.name, names.scope))
    names.note(field.span, { kind: 'param', param })
  }
  for (const [name, meaning] of meanings) {
    if (meaning.kind === 'param') names.note(name.span, { kind: 'param', param: meaning.param }, shorthands.has(name))
    if (meaning.kind !== 'local' || !meaning.local.declared) continue
    const { declared, type } = meaning.local
    names.note(name.span, { kind: 'local', name: declared, type }, shorthands.has(name))
  }
}

// Few expressions have such names: for the others the input type is not computed.
const hasLocals = ({ span }: Expression): boolean => /\b(?:for|let)\b|->|\u2192/.test(span.source.text.slice(span.start, span.end))

const portBehind = (process: SymbolInfo, port: string): SymbolInfo | undefined => {
  if (process.kind === 'binding') return portOf(process.bound, port)
  if (process.kind === 'channel')
    return { kind: 'port', of: process.statement.name.text, port: { name: port, type: process.type }, bound: undefined }
  return process.kind === 'parameter'
    ? { kind: 'port', of: process.name.text, port: { name: port, type: process.port?.type }, bound: undefined }
    : undefined
}
