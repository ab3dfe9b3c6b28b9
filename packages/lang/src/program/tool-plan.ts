// A callable bare binding: its types, and its chain or the source of its tool; only for a program without errors.

import { planOfBase } from '../base/base-chain.js'
import type { BasePlan } from '../base/base-plan.js'
import { agentConfig } from '../check/agent.js'
import { plainConfig } from '../check/config.js'
import { sourcesOf, type ToolSource, toolConfig } from '../check/tool.js'
import { bindingsOf, type Program } from '../compile.js'
import type { Span } from '../diagnostic/source.js'
import { type Bound, printName, resolveName, type Scope } from '../names/names.js'
import type { QualifiedName, ToolImplementation } from '../parse/ast.js'
import { JSON_TYPE, type Json, type Type } from '../types/type.js'

export interface ToolPlan {
  readonly name: string
  readonly bound: Bound
  readonly input: Type
  readonly output: Type
  readonly description?: string
  readonly version?: string
  /** Agents may use it: a `tool { … }`, or a bare morphism under `@tool`. */
  readonly isExposed: boolean
  /** The file that declares it: its paths are relative to that. */
  readonly specPath: string
  readonly span: Span
  readonly body: ToolBody
}

export type ToolBody =
  | { readonly kind: 'chain'; readonly chain: BasePlan }
  | {
      readonly kind: 'tool'
      readonly source: ToolSource
      readonly config: { readonly [key: string]: Json }
      /** For `process`: what is lowered. */
      readonly process?: ProcessPlan
      /** For a tool made of others (pool, handoff, spy, flaky): those, in order. */
      readonly parts: readonly Bound[]
    }

export type ProcessPlan =
  | { readonly kind: 'bound'; readonly bound: Bound }
  | { readonly kind: 'morphism'; readonly word: 'id' | 'copy' | 'discard' }

/** All bare bindings of the named file, and of the modules it uses as `Module.name`. */
export const toolsOf = (program: Program): ToolPlan[] =>
  bindingsOf(program)
    .filter(({ bound }) => bound.category === 'base')
    .map(({ name, bound }) => toolOf(bound, name))

/** The tools that an agent declares, under the agent's names for them. */
export const agentTools = ({ binding: { impl }, scope }: Bound): ToolPlan[] => {
  const names = impl.kind === 'agent' ? agentConfig(impl, scope).get('tools')?.names : undefined
  return (names ?? []).flatMap((name) => {
    const bound = resolveName(name, scope)
    return bound ? [toolOf(bound, printName(name))] : []
  })
}

export const toolOf = (bound: Bound, name = bound.name): ToolPlan => {
  const { impl } = bound.binding
  if (impl.kind === 'agent' || impl.kind === 'plumb' || impl.kind === 'object') throw new TypeError(`no bare morphism: '${bound.name}'`)
  const body: ToolBody = impl.kind === 'tool' ? toolBody(impl, bound) : { kind: 'chain', chain: planOfBase(bound) }
  const description = bound.description ?? (body.kind === 'tool' ? body.config.description : undefined)
  return {
    name,
    bound,
    input: bound.inputs[0] ?? JSON_TYPE,
    output: bound.outputs[0] ?? JSON_TYPE,
    ...(typeof description === 'string' ? { description } : {}),
    ...(bound.version === undefined ? {} : { version: bound.version }),
    isExposed: bound.isTool,
    specPath: bound.scope.module.path,
    span: bound.binding.name.span,
    body,
  }
}

const toolBody = (impl: ToolImplementation, { name, scope }: Bound): ToolBody => {
  const config = toolConfig(impl, scope)
  const [source] = sourcesOf(impl)
  if (!source) throw new TypeError(`not checked: '${name}'`)
  const names = config.get(source)?.names ?? []
  const tool = { kind: 'tool', source, config: plainConfig(config) } as const
  if (source !== 'process') return { ...tool, parts: names.flatMap((part) => resolveName(part, scope) ?? []) }
  const process = names[0] && processPlan(names[0], scope)
  return { ...tool, ...(process ? { process } : {}), parts: [] }
}

const processPlan = (name: QualifiedName, scope: Scope): ProcessPlan | undefined => {
  const { text } = name.name
  if (!name.module && (text === 'id' || text === 'copy' || text === 'discard')) return { kind: 'morphism', word: text }
  const bound = resolveName(name, scope)
  return bound && { kind: 'bound', bound }
}
