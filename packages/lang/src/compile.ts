// The compiler as a list of passes: text → modules → names → types → bindings → rules. A program without errors can be planned.

import type { GivenValues } from '@plumb/wire/given-values'
import { openCallables } from './base/apply.js'
import { checkBaseChain } from './base/base-chain.js'
import { calledBy } from './base/lift.js'
import { checkAgent } from './check/agent.js'
import { checkAnswers } from './check/answers.js'
import { checkCalls } from './check/calls.js'
import { checkCapitals, checkUnused } from './check/lint.js'
import { inOrder, partsOfBinding } from './check/parts.js'
import type { CheckReuse } from './check/reuse.js'
import { refuseLarge } from './check/size.js'
import { checkTool } from './check/tool.js'
import { readValues } from './check/value.js'
import { checkWiring } from './check/wiring.js'
import { declareBindings } from './declare/bindings.js'
import { declareTypes } from './declare/declare.js'
import { declareProtocols } from './declare/declare-protocols.js'
import { type DeclaredParams, declareParams } from './declare/params.js'
import { type Diagnostic, Diagnostics, error, ignore, type Report } from './diagnostic/diagnostic.js'
import type { Span } from './diagnostic/source.js'
import { type Files, loadModules, type MainFile, type Module } from './names/modules.js'
import type { Bound, Scope } from './names/names.js'
import type { Graph } from './plan/graph.js'
import { graphOf } from './plan/root.js'
import { readTest } from './spec-test/read-test.js'
import type { TestPlan } from './spec-test/test-plan.js'

export interface Program {
  /** The named file. */
  readonly entry: Scope
  readonly scopes: readonly Scope[]
}

export interface Compiled extends DeclaredParams {
  /** In reading order, file by file. With an error among them `program` must not be run. */
  readonly diagnostics: readonly Diagnostic[]
  readonly program: Program
  /** Of the named file. */
  readonly typeCount: number
  readonly bindingCount: number
}

export interface CompileOptions {
  readonly path: string
  readonly text: string
  readonly files: Files
  /** Only for a run: the values of params. */
  readonly given?: GivenValues | undefined
  /** Whether to check the contents of tests: not if a parent has done so. */
  readonly checksTests?: boolean
  /** What is known of the text as it was before. */
  readonly reuse?: CheckReuse | undefined
}

/** Never throws; pure but for `files`. */
export const compile = ({ path, text, files, given, checksTests = false, reuse }: CompileOptions): Compiled => {
  const diagnostics = new Diagnostics()
  const { report } = diagnostics
  const scopes = openScopes(loadModules({ path, text }, files, report))
  const own = scopes.at(-1) as Scope
  let params: DeclaredParams = { params: [], faults: [] }
  try {
    params = declare(scopes, own, given, report)
    check(scopes, own, checksTests, diagnostics, reuse)
  } catch (failure) {
    // Two recursive types are compared pair by pair, and the nesting of pairs may exceed any limit on each of them.
    if (!(failure instanceof RangeError)) throw failure
    report(error('too_large', 'the types of this program lead too deep into each other to be compared', startOf(own)))
  }
  return {
    diagnostics: diagnostics.list(startOf(own)),
    program: { entry: own, scopes },
    typeCount: own.types.size,
    bindingCount: own.bindings.size,
    ...params,
  }
}

/** With what its declarations say, and no more: nothing in it has been checked. */
export const declared = (entry: MainFile, files: Files): Program => {
  const scopes = openScopes(loadModules(entry, files, ignore))
  const own = scopes.at(-1) as Scope
  try {
    declare(scopes, own, undefined, ignore)
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure
  }
  return { entry: own, scopes }
}

const declare = (scopes: readonly Scope[], own: Scope, given: GivenValues | undefined, report: Report): DeclaredParams => {
  for (const scope of scopes) declareTypes(scope, report)
  declareProtocols(scopes, report)
  const params = declareParams(scopes, own, given, report)
  for (const scope of scopes) declareBindings(scope, report)
  return params
}

const check = (
  scopes: readonly Scope[],
  own: Scope,
  checksTests: boolean,
  diagnostics: Diagnostics,
  reuse: CheckReuse | undefined,
): void => {
  const { report } = diagnostics
  const all = scopes.flatMap((s) => [...s.bindings.values()])
  const order = inOrder(all, partsOfBinding, report)
  readValues(order, report)
  const checkOne = reuse?.over(scopes, checkBinding) ?? checkBinding
  const lifted = new Map(all.map((bound) => [bound, checkOne(bound, report)]))
  // What map applies is known only by the types, and those of a binding that has errors are not.
  const madeOf = (bound: Bound) => [...partsOfBinding(bound), ...(lifted.get(bound) ?? [])]
  const appliesNone = [...lifted.values()].every((applied) => applied.length === 0)
  const whole = diagnostics.hasErrors || appliesNone ? order : inOrder(all, madeOf, report)
  refuseLarge(whole, madeOf, report)
  checkCalls(whole, madeOf, report)
  if (checksTests) checkTests(own, report)
  checkCapitals(own, report)
  if (diagnostics.hasErrors) return
  checkUnused(own, madeOf, report)
  checkAnswers(all, madeOf, report)
  checkWiring(all, own, (bound) => graphOf(bound, ignore), report)
}

/** Of the named file only. */
const checkTests = (scope: Scope, report: Report): void => {
  for (const item of scope.module.program.items) if (item.kind === 'test') readTest(item, scope, report)
}

/** The tests of the named file, in their order; only for a program without errors. */
export const testsOf = ({ entry }: Program): readonly TestPlan[] =>
  entry.module.program.items.flatMap((item) => (item.kind === 'test' ? (readTest(item, entry, ignore) ?? []) : []))

const startOf = ({ module }: Scope): Span => ({ ...module.program.span, end: module.program.span.start })

/** One for each module; `modules` come after those they use. */
const openScopes = (modules: readonly Module[]): readonly Scope[] => {
  const scopes = new Map<Module, Scope>()
  const open = openCallables()
  for (const module of modules) {
    const used = [...module.uses].map(([name, m]) => [name, scopes.get(m) as Scope] as const)
    scopes.set(module, {
      module,
      modules: new Map(used),
      types: new Map(),
      brokenTypes: new Set(),
      protocols: new Map(),
      params: new Map(),
      bindings: new Map(),
      values: new Map(),
      open,
    })
  }
  return [...scopes.values()]
}

/** Returns the bare bindings that `map` applies in it. */
const checkBinding = (bound: Bound, report: Report): readonly Bound[] => {
  const { impl } = bound.binding
  if (impl.kind === 'agent') checkAgent(bound, impl, report)
  else if (impl.kind === 'tool') checkTool(bound, impl, report)
  else if (bound.category === 'stream') return liftedIn(graphOf(bound, report))
  else if (bound.category === 'base' && impl.kind !== 'plumb' && impl.kind !== 'object') {
    checkBaseChain(bound, impl, report)
    // Names in its chain are parts in any case.
    const named = [...partsOfBinding(bound)]
    return calledBy(bound).filter((called) => named.splice(named.indexOf(called), named.includes(called) ? 1 : 0).length === 0)
  }
  return []
}

const liftedIn = ({ nodes }: Graph): readonly Bound[] =>
  nodes.flatMap(({ work }) => (work.kind === 'call' ? [work.bound] : work.kind === 'map' && work.lifted ? [work.lifted] : []))

/** The binding that a name on the command line refers to: `main`, or `Module.name`. */
export const bindingNamed = (program: Program, name: string): Bound | undefined => {
  const [first = '', second] = name.split('.')
  return second === undefined ? program.entry.bindings.get(first) : program.entry.modules.get(first)?.bindings.get(second)
}

/** The bindings of the named file, and of the modules it uses as `Module.name`. */
export const bindingsOf = ({ entry }: Program): readonly { readonly name: string; readonly bound: Bound }[] => [
  ...[...entry.bindings.values()].map((bound) => ({ name: bound.name, bound })),
  ...[...entry.modules].flatMap(([module, scope]) =>
    [...scope.bindings.values()].map((bound) => ({ name: `${module}.${bound.name}`, bound })),
  ),
]
