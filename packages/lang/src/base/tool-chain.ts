// A chain outside of any spec, over tools of which only the signatures are known: what a model writes for compose.

import { preview } from '@plumb/wire/preview'
import { type Diagnostic, hasErrors, type Report } from '../diagnostic/diagnostic.js'
import type { Source } from '../diagnostic/source.js'
import { callsOf, effectInExpression } from '../expression/infer/callee.js'
import { memberOf } from '../names/member.js'
import { type Bound, resolveName, type Scope } from '../names/names.js'
import type { Binding, Chain } from '../parse/ast.js'
import { firstOf, partsOfTensor } from '../parse/chain-parts.js'
import { parseChainText } from '../parse/parser.js'
import type { Json, Type } from '../types/type.js'
import { typeOfValue } from '../types/type-of-value.js'
import { isWirable } from '../types/wirable.js'
import type { BasePlan } from './base-plan.js'
import { BaseChecker } from './checker.js'

/** `name` as chains write it: `f`, or `Module.f`. */
export interface ChainTool {
  readonly name: string
  readonly input: Type
  readonly output: Type
}

export interface ToolChain {
  /** From its syntax. */
  readonly diagnostics: readonly Diagnostic[]
  /** The input type of its first tools, if it begins with any. Undefined: any input. */
  readonly takes: Type | undefined
  /** Its input goes to tools alone, each of which fills in its own defaults. */
  readonly isForTools: boolean
  /** Without a plan, the diagnostics say why. */
  readonly check: (input: Type) => CheckedToolChain
  /** What a value may be meant as beside what the tools take: the first that the chain accepts counts. */
  readonly typesOf: (value: Json) => ValueTypes
}

export interface ValueTypes {
  readonly own: Type
  /** Of a list that is as long as the product which the chain begins with: each branch takes a part of it. */
  readonly inParts: Type | undefined
  /** Of any other list, where the chain does not accept it as one. */
  readonly asTuple: Type | undefined
}

export interface CheckedToolChain {
  readonly plan: BasePlan | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/** The name of the text in diagnostics. */
const PATH = 'chain'
/** More items than a chain can have branches. */
const MAX_TUPLE = 2000

export const readToolChain = (text: string, tools: readonly ChainTool[]): ToolChain => {
  const source: Source = { path: PATH, text }
  const syntax: Diagnostic[] = []
  const chain = parseChainText(source, (d) => syntax.push(d))
  const names = tools.map(({ name }) => name)
  if (!chain || hasErrors(syntax)) {
    const none = { plan: undefined, diagnostics: syntax }
    return { diagnostics: syntax, takes: undefined, isForTools: false, check: () => none, typesOf: (value) => typesOf(chain, value) }
  }
  const scope = scopeOf(tools, source)
  return {
    diagnostics: syntax,
    takes: takenBy(chain, scope),
    isForTools: isForTools(chain, scope),
    check: (input) => checkAlone(chain, scope, input, names),
    typesOf: (value) => typesOf(chain, value),
  }
}

const checkAlone = (chain: Chain, scope: Scope, input: Type, names: readonly string[]): CheckedToolChain => {
  const { plan, diagnostics, seen } = new BaseChecker(scope).check(chain, input)
  const all: Diagnostic[] = []
  const report: Report = (d) => all.push(d)
  for (const d of diagnostics) report(withNames(d, names))
  // An expression has no effects: a call in it would bypass the stages of a call.
  for (const { expression } of seen) for (const called of callsOf(expression, scope)) report(effectInExpression(called))
  return { plan: hasErrors(all) ? undefined : plan, diagnostics: all }
}

const withNames = (d: Diagnostic, names: readonly string[]): Diagnostic => {
  if (d.code !== 'unknown_name' || d.help !== undefined) return d
  return { ...d, help: names.length === 0 ? 'there are no tools' : `the tools are ${preview(names.join(', '), 400)}` }
}

// What each name refers to; names with a dot are members of a module.
const scopeOf = (tools: readonly ChainTool[], source: Source): Scope => {
  const own = emptyScope(source)
  for (const tool of tools) {
    const dot = tool.name.indexOf('.')
    const module = tool.name.slice(0, Math.max(0, dot))
    const home = dot < 0 ? own : (own.modules.get(module) ?? emptyScope(source))
    if (dot >= 0) own.modules.set(module, home)
    home.bindings.set(tool.name.slice(dot + 1), boundOf(tool, home, source))
  }
  return own
}

const emptyScope = (source: Source): Scope => ({
  module: {
    path: source.path,
    program: { items: [], comments: [], broken: new Map(), span: { source, start: 0, end: 0 } },
    uses: new Map(),
    missing: new Set(),
  },
  types: new Map(),
  brokenTypes: new Set(),
  protocols: new Map(),
  bindings: new Map(),
  params: new Map(),
  values: new Map(),
  modules: new Map(),
  open: ({ name }) => {
    throw new TypeError(`not checked: '${name}' is called in an expression`)
  },
})

const boundOf = ({ name, input, output }: ChainTool, scope: Scope, source: Source): Bound => {
  const span = { source, start: 0, end: 0 }
  const impl = { kind: 'tool', config: { kind: 'object', entries: [], span }, span } as const
  const binding: Binding = { kind: 'binding', annotations: [], name: { text: name, span }, impl, span }
  return { name, binding, scope, category: 'base', inputs: [input], outputs: [output], ends: new Map(), isTool: true }
}

const takenBy = (chain: Chain, scope: Scope): Type | undefined => {
  switch (chain.kind) {
    case 'reference':
      return resolveName(chain.name, scope)?.inputs[0]
    case 'field':
      return takenBy(memberOf(chain, scope) ?? chain.of, scope)
    case 'sequence':
      return takenBy(firstOf(chain), scope)
    case 'tensor':
    case 'choice': {
      const known = chain.items.flatMap((item) => takenBy(item, scope) ?? [])
      return known.find((type) => known.every((other) => isWirable(type, other) !== 'no'))
    }
    case 'each': {
      const item = takenBy(chain.chain, scope)
      return item && { kind: 'array', item }
    }
    case 'trace':
      return takenBy(chain.chain, scope)
    default:
      return undefined
  }
}

const isForTools = (chain: Chain, scope: Scope): boolean => {
  switch (chain.kind) {
    case 'sequence':
      return isForTools(firstOf(chain), scope)
    case 'tensor':
    case 'choice':
      return chain.items.every((item) => isForTools(item, scope))
    case 'each':
    case 'trace':
      return isForTools(chain.chain, scope)
    default:
      return takenBy(chain, scope) !== undefined
  }
}

const typesOf = (chain: Chain | undefined, value: Json): ValueTypes => {
  const own = typeOfValue(value)
  if (!chain || !Array.isArray(value) || value.length === 0 || value.length > MAX_TUPLE)
    return { own, inParts: undefined, asTuple: undefined }
  const first = firstOf(chain)
  const isOfParts = first.kind === 'tensor' && partsOfTensor(first).length === value.length
  const tuple: Type = { kind: 'tuple', items: value.map(typeOfValue) }
  return { own, inParts: isOfParts ? tuple : undefined, asTuple: isOfParts ? undefined : tuple }
}
