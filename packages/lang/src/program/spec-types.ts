// The types of a spec and of what it serves, with their labels and with names that are their own in one file: for code that is generated.

import { isLowerable } from '../check/lower.js'
import type { Program } from '../compile.js'
import { readTypeBy } from '../declare/declare.js'
import { ignore } from '../diagnostic/diagnostic.js'
import type { Bound, Scope } from '../names/names.js'
import type { LabelledTypeNode, QualifiedName, TypeDeclaration } from '../parse/ast.js'
import type { Graph } from '../plan/graph.js'
import { planOf } from '../plan/root.js'
import { BUILT_IN_TYPES } from '../types/failure.js'
import { JSON_TYPE, type NamedType, type Type } from '../types/type.js'
import { agentOf } from './agent-plan.js'

type Label = LabelledTypeNode['label']

export interface SpecTypes {
  /** Those of the file, then what they and its bindings use of modules, as `Module_Name`. */
  readonly types: readonly NamedType[]
  readonly bindings: readonly ServedBinding[]
  /** What agents answer that tell their answers while they grow, in the order of the file. */
  readonly growing: readonly Type[]
  /** Of a type that is the name of a label and the type below it. */
  labelOf(type: Type): Label | undefined
}

export interface ServedBinding {
  readonly name: string
  readonly description?: string
  readonly input: Type
  readonly output: Type
  /** Each input has one output. */
  readonly answers: 'one' | 'many'
  /** A message leaves something behind that the next one meets: a memory, a state, a part of a list. */
  readonly keeps: boolean
}

/** Only for a program without errors. `which`: the processes that are served, or all. */
export const specTypes = (program: Program, which: 'served' | 'all'): SpecTypes => {
  const reader = new Reader(program.entry)
  const processes = processesOf(program)
  // What has the annotation `@serve`, or `main` of a file without any.
  const named = processes.filter(({ binding }) => binding.annotations.some(({ name }) => name.text === 'serve'))
  const served = new Set(named.length > 0 ? named : processes.filter(({ name }) => name === 'main'))
  const bindings = (which === 'all' ? processes : [...served]).map((bound): ServedBinding => {
    const { name, description, binding } = bound
    return {
      name,
      ...(description === undefined ? {} : { description }),
      input: reader.portType(binding.signature?.inputs[0]?.type, bound.scope),
      output: reader.portType(binding.signature?.outputs[0]?.type, bound.scope),
      answers: isLowerable(bound) ? 'one' : 'many',
      keeps: keepsState(planOf(bound), new Set([bound])),
    }
  })
  const growing = growersOf(program).map(({ binding, scope }) => reader.portType(binding.signature?.outputs[0]?.type, scope))
  return { types: reader.all(), bindings, growing, labelOf: (type) => reader.labels.get(type) }
}

/** Those of the file that take one stream and give one, and agents, of whose streams the first are meant. */
const processesOf = ({ entry }: Program): readonly Bound[] =>
  [...entry.bindings.values()].filter(
    ({ category, inputs, outputs, binding }) =>
      category === 'stream' && (binding.impl.kind === 'agent' || (inputs.length === 1 && outputs.length === 1)),
  )

const growersOf = ({ entry }: Program): readonly Bound[] =>
  [...entry.bindings.values()].filter((bound) => bound.binding.impl.kind === 'agent' && agentOf(bound).config.partial === true)

const KEEPING: ReadonlySet<string> = new Set(['fold', 'batch', 'barrier', 'join'])

const keepsState = ({ nodes }: Graph, seen: Set<Bound>): boolean =>
  nodes.some(({ work }) => {
    if (KEEPING.has(work.kind)) return true
    if (work.kind === 'agent') return agentOf(work.bound).config.amnesiac !== true
    if (work.kind !== 'plumb' || seen.has(work.bound)) return false
    seen.add(work.bound)
    return keepsState(planOf(work.bound), seen)
  })

class Reader {
  readonly labels = new Map<Type, Label>()
  readonly #entry: Scope
  readonly #known = new Map<TypeDeclaration, NamedType>()
  readonly #builtIn = new Map<string, NamedType>()
  readonly #names = new Set<string>()
  readonly #prefixes: ReadonlyMap<Scope, string>

  constructor(entry: Scope) {
    this.#entry = entry
    this.#prefixes = prefixesOf(entry)
    // Its own types have their own names, whatever modules have.
    for (const name of entry.types.keys()) this.#names.add(name)
    for (const item of entry.module.program.items) if (item.kind === 'type') this.#declared(item, entry)
  }

  /** Each after those that were read before it. */
  all(): readonly NamedType[] {
    return [...this.#known.values(), ...this.#builtIn.values()]
  }

  portType(e: TypeDeclaration['type'] | undefined, scope: Scope): Type {
    return (e && this.#read(e, scope)) ?? JSON_TYPE
  }

  #read(e: TypeDeclaration['type'], scope: Scope): Type | undefined {
    return readTypeBy(e, scope, {
      report: ignore,
      named: (name, home) => this.#named(name, home),
      labelled: ({ label }, target) => {
        const type: NamedType = { kind: 'named', name: label, target }
        this.labels.set(type, label)
        return type
      },
    })
  }

  #named({ module, name }: QualifiedName, scope: Scope): Type | undefined {
    const home = module ? scope.modules.get(module.text) : scope
    const item = home?.module.program.items.find((one) => one.kind === 'type' && one.name.text === name.text)
    if (home && item?.kind === 'type') return this.#declared(item, home)
    const builtIn = module ? undefined : BUILT_IN_TYPES.get(name.text)
    if (!builtIn) return undefined
    const known = this.#builtIn.get(name.text) ?? { ...builtIn, name: this.#freeName(name.text) }
    this.#builtIn.set(name.text, known)
    return known
  }

  #declared(item: TypeDeclaration, home: Scope): NamedType {
    const known = this.#known.get(item)
    if (known) return known
    const isOwn = home === this.#entry
    const name = isOwn ? item.name.text : this.#freeName(`${this.#prefixes.get(home) ?? 'Module'}_${item.name.text}`)
    // Known before it is read, since it may be recursive.
    const named: NamedType = { kind: 'named', name, target: JSON_TYPE }
    this.#known.set(item, named)
    named.target = this.#read(item.type, home) ?? JSON_TYPE
    return named
  }

  #freeName(name: string): string {
    let free = name
    while (this.#names.has(free)) free += '_'
    this.#names.add(free)
    return free
  }
}

/** The names by which the file reaches modules, those of the shortest way. */
const prefixesOf = (entry: Scope): ReadonlyMap<Scope, string> => {
  const found = new Map<Scope, string>()
  const waiting: [Scope, string][] = [[entry, '']]
  for (const [scope, prefix] of waiting)
    for (const [name, module] of scope.modules) {
      if (module === entry || found.has(module)) continue
      const own = prefix === '' ? name : `${prefix}_${name}`
      found.set(module, own)
      waiting.push([module, own])
    }
  return found
}
