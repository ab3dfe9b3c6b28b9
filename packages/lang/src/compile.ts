// The compiler as a list of passes: text → modules → names → types → bindings → rules. A program without errors can be planned.

import { agentConfig, checkAgent } from './check/agent.js'
import { checkBaseChain } from './check/base-chain.js'
import { declareBindings } from './check/bindings.js'
import { plainConfig } from './check/config.js'
import { inOrder } from './check/cycles.js'
import { checkCapitals, checkUnused } from './check/manners.js'
import { refuseLarge } from './check/size.js'
import { checkTool } from './check/tool.js'
import { readValues } from './check/value.js'
import { type Diagnostic, hasErrors, inReadingOrder, type Report } from './diagnostic.js'
import { type Files, loadModules, type Module } from './modules.js'
import type { Bound, Scope } from './names.js'
import { graphOf } from './plan/root.js'
import type { Span } from './source.js'
import { declareTypes } from './types/declare.js'
import { JSON_TYPE, type Json, type Type } from './types/type.js'

export interface Program {
  /** The file that was named. */
  readonly entry: Scope
  readonly scopes: readonly Scope[]
}

export interface Compiled {
  /** In reading order, file by file. With an error among them `program` is not to be run. */
  readonly diagnostics: readonly Diagnostic[]
  readonly program: Program
  /** Of the file that was named. */
  readonly typeCount: number
  readonly bindingCount: number
}

/** Never throws; pure but for `files`. */
export const compile = (entry: { path: string; text: string }, files: Files): Compiled => {
  const diagnostics: Diagnostic[] = []
  const report: Report = (d) => diagnostics.push(d)
  const scopes = openScopes(loadModules(entry, files, report))
  for (const scope of scopes) declareTypes(scope, report)
  for (const scope of scopes) declareBindings(scope, report)
  const all = scopes.flatMap((s) => [...s.bindings.values()])
  const order = inOrder(all, report)
  readValues(order, report)
  refuseLarge(order, report)
  for (const bound of all) checkBinding(bound, report)
  const own = scopes.at(-1) as Scope
  checkCapitals(own, report)
  if (!hasErrors(diagnostics)) checkUnused(own, report)
  return {
    diagnostics: inReadingOrder(diagnostics),
    program: { entry: own, scopes },
    typeCount: own.types.size,
    bindingCount: own.bindings.size,
  }
}

/** One for each module; `modules` come after those they use. */
const openScopes = (modules: readonly Module[]): readonly Scope[] => {
  const scopes = new Map<Module, Scope>()
  for (const module of modules) {
    const used = [...module.uses].map(([name, m]) => [name, scopes.get(m) as Scope] as const)
    scopes.set(module, { module, modules: new Map(used), types: new Map(), brokenTypes: new Set(), bindings: new Map(), values: new Map() })
  }
  return [...scopes.values()]
}

const checkBinding = (bound: Bound, report: Report): void => {
  const { impl } = bound.binding
  if (impl.kind === 'agent') checkAgent(bound, impl, report)
  else if (impl.kind === 'tool') checkTool(bound, impl, report)
  else if (bound.category === 'stream') graphOf(bound, report)
  else if (bound.category === 'base' && impl.kind !== 'plumb' && impl.kind !== 'object') checkBaseChain(bound, impl, report)
}

/** The binding that a name on the command line means: `main`, or `Module.name`. */
export const bindingNamed = (program: Program, name: string): Bound | undefined => {
  const [first = '', second] = name.split('.')
  return second === undefined ? program.entry.bindings.get(first) : program.entry.modules.get(first)?.bindings.get(second)
}

export interface AgentPlan {
  readonly name: string
  readonly input: Type
  readonly output: Type
  /** Ports of the signature: a second input, a second output. */
  readonly hasControl: boolean
  readonly hasTelemetry: boolean
  readonly config: { readonly [key: string]: Json }
  /** The file that declares it: its paths are relative to that. */
  readonly specPath: string
  readonly description?: string
  readonly span: Span
}

/** The agents of the file that was named, and of the modules it uses as `Module.name`; only for a program without errors. */
export const agentsOf = ({ entry }: Program): AgentPlan[] => [
  ...agentsIn(entry, ''),
  ...[...entry.modules].flatMap(([name, scope]) => agentsIn(scope, `${name}.`)),
]

const agentsIn = (scope: Scope, prefix: string): AgentPlan[] =>
  [...scope.bindings.values()].filter((b) => b.binding.impl.kind === 'agent').map((b) => agentOf(b, prefix + b.name))

/** One agent binding as plumb-agent runs it; only for a program without errors. */
export const agentOf = (bound: Bound, name = bound.name): AgentPlan => {
  const { impl } = bound.binding
  return {
    name,
    input: bound.inputs[0] ?? JSON_TYPE,
    output: bound.outputs[0] ?? JSON_TYPE,
    hasControl: bound.inputs.length > 1,
    hasTelemetry: bound.outputs.length > 1,
    config: impl.kind === 'agent' ? plainConfig(agentConfig(impl, bound.scope)) : {},
    specPath: bound.scope.module.path,
    span: bound.binding.name.span,
    ...(bound.description === undefined ? {} : { description: bound.description }),
  }
}
