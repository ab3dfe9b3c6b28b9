// Chains → edges. Wires a chain behind what feeds it and gives what comes out, by the rules of language.md, Wiring.

import type { Chain, Node, Reference } from '../ast.js'
import { memberOf } from '../check/member.js'
import { checkExpression } from '../expression/check.js'
import type { Scope } from '../names.js'
import { arityOf, joined, makeAtom, type Morphism } from './atom.js'
import type { Builder } from './builder.js'
import type { Process, Source } from './graph.js'

/** Everything that flows into one input. */
export type Feed = readonly Source[]

export interface Wiring {
  readonly builder: Builder
  readonly scope: Scope
  /** The process a reference stands for at this place; undefined when it has an error, told by now. */
  place(reference: Reference): Process | undefined
}

/** Without feeds the chain heads a statement: its first processes are sources only. `'error'`: told by now, go on without it. */
export const wire = (chain: Chain, feeds: readonly Feed[] | undefined, w: Wiring): readonly Source[] | 'error' => {
  switch (chain.kind) {
    case 'sequence':
      return sequence(chain.items, feeds, w)
    case 'tensor':
      return tensor(flatten(chain), feeds, w)
    case 'choice':
    case 'trace':
      return baseOnly(chain, w)
    case 'field':
      return field(chain, feeds, w)
    case 'reference':
      return reference(chain, feeds, w)
    default:
      return morphism(chain, feeds, w)
  }
}

/** What m branches feed to n inputs: each its own, one to all, or all to one. */
export const match = (sources: readonly Source[], inputs: number, at: Node, w: Wiring): readonly Feed[] | 'error' => {
  if (sources.length === inputs) return sources.map((s) => [s])
  const [only] = sources
  if (only && sources.length === 1) return Array.from({ length: inputs }, () => [only])
  if (inputs === 1 && sources.length > 0) return [sources]
  if (sources.length === 0) return fail(w, 'nothing comes out of what stands before this', at, "only a source can stand before ';'")
  if (inputs === 0) return fail(w, 'nothing can be wired into this', at)
  return fail(w, `${sources.length} branches meet ${inputs}`, at, 'between tensors of m and n branches m and n are equal, or one of them is 1')
}

/** How many inputs a chain has when m branches come: merge and barrier take what the others leave. */
export const arity = (chain: Chain, branches: number, w: Wiring): number | 'error' => {
  const fixed = fixedArity(chain, w)
  if (fixed === 'error' || typeof fixed === 'number') return fixed
  const rest = branches - fixed.others
  return rest < 2 ? fail(w, `'${fixed.atom.kind}' needs two or more inputs`, fixed.atom, `as in '(a * b) ; ${fixed.atom.kind}'`) : branches
}

const fixedArity = (chain: Chain, w: Wiring): number | { others: number; atom: Morphism } | 'error' => {
  switch (chain.kind) {
    case 'sequence':
      return chain.items[0] ? fixedArity(chain.items[0], w) : 0
    case 'field': {
      const member = memberOf(chain, w.scope)
      return fixedArity(member ?? chain.of, w)
    }
    case 'reference':
      return w.place(chain) === undefined ? 'error' : mainInputs(chain, w).length
    case 'tensor': {
      const parts = chain.items.map((item) => fixedArity(item, w))
      if (parts.includes('error')) return 'error'
      const many = parts.find((p) => typeof p === 'object')
      const others = parts.reduce<number>((sum, p) => sum + (typeof p === 'number' ? p : 0), 0)
      if (many === undefined || typeof many !== 'object') return others
      return parts.filter((p) => typeof p === 'object').length > 1
        ? fail(w, 'it is not clear which branches belong to which', chain, 'join one of them in a chain of its own')
        : { others: others + many.others, atom: many.atom }
    }
    case 'choice':
    case 'trace':
      return 1
    default: {
      const n = arityOf(chain)
      return n === 'many' ? { others: 0, atom: chain } : n
    }
  }
}

const sequence = (items: readonly Chain[], feeds: readonly Feed[] | undefined, w: Wiring): readonly Source[] | 'error' => {
  let sources: readonly Source[] | 'error' = []
  for (const [i, item] of items.entries()) {
    if (i === 0) sources = wire(item, feeds, w)
    else if (sources === 'error') {
      // What stands behind an error is wired to nothing, but its own errors are told.
      sources = wire(item, unknownFeeds(item, w), w)
    } else {
      const n = arity(item, sources.length, w)
      const next = n === 'error' ? n : match(sources, n, item, w)
      sources = wire(item, next === 'error' ? unknownFeeds(item, w) : next, w)
    }
  }
  return sources
}

const unknownFeeds = (item: Chain, w: Wiring): readonly Feed[] => {
  const n = fixedArity(item, w)
  return Array.from({ length: typeof n === 'number' ? n : 2 }, () => [])
}

const tensor = (items: readonly Chain[], feeds: readonly Feed[] | undefined, w: Wiring): readonly Source[] | 'error' => {
  const outs: Source[] = []
  let isBroken = false
  let used = 0
  const fixed = items.map((item) => fixedArity(item, w))
  const others = fixed.reduce<number>((sum, n) => sum + (typeof n === 'number' ? n : 0), 0)
  for (const [i, item] of items.entries()) {
    const n = fixed[i]
    const take = typeof n === 'number' ? n : Math.max(0, (feeds?.length ?? 0) - others)
    const out = wire(item, feeds?.slice(used, used + take), w)
    used += take
    if (out === 'error') isBroken = true
    else outs.push(...out)
  }
  return isBroken ? 'error' : outs
}

/** `(a * b) * c` is `a * b * c`. */
const flatten = (chain: Chain & { kind: 'tensor' }): Chain[] => chain.items.flatMap((item) => (item.kind === 'tensor' ? flatten(item) : [item]))

const field = (chain: Chain & { kind: 'field' }, feeds: readonly Feed[] | undefined, w: Wiring): readonly Source[] | 'error' => {
  const member = memberOf(chain, w.scope)
  if (member) return wire(member, feeds, w)
  const outs = wire(chain.of, feeds, w)
  if (outs === 'error') return outs
  if (outs.length === 0) return fail(w, 'nothing comes out here that could have a field', chain)
  const { span, field: name } = chain
  const expression = { kind: 'field', of: { kind: 'name', name: 'value', span: chain.of.span }, field: name, span } as const
  return outs.map((source) => {
    const type = source.type && checkExpression(expression, source.type, w.builder.report)
    const node = w.builder.node(`.${name.text}`, name.span, { kind: 'map', expression }, [{ name: 'input', type: source.type }], [{ name: 'output', type }])
    w.builder.connect(source, node, 0, name.span)
    return { node, output: 0, type }
  })
}

const reference = (chain: Reference, feeds: readonly Feed[] | undefined, w: Wiring): readonly Source[] | 'error' => {
  const process = w.place(chain)
  if (!process) return 'error'
  const inputs = mainInputs(chain, w)
  for (const [i, feed] of (feeds ?? []).entries()) {
    const port = inputs[i]
    for (const source of feed) if (port) w.builder.connect(source, port.node, port.input, chain.span)
  }
  if (chain.port) return process.outputs.filter((o) => o.name === chain.port?.text)
  const output = process.outputs.filter((o) => o.name === 'output')
  return output.length > 0 ? output : process.outputs
}

// A process named without a port stands for its `input` where it has one, else for all its inputs in order.
const mainInputs = (chain: Reference, w: Wiring): Process['inputs'] => {
  const inputs = w.place(chain)?.inputs ?? []
  if (chain.port) return inputs.filter((p) => p.name === chain.port?.text)
  const input = inputs.filter((p) => p.name === 'input')
  return input.length > 0 ? input : inputs
}

const morphism = (atom: Morphism, feeds: readonly Feed[] | undefined, w: Wiring): readonly Source[] | 'error' => {
  if (!feeds && atom.kind !== 'empty') {
    return fail(w, `nothing is wired into '${atom.kind}' here`, atom, "wire something into it, as in 'input ; …'", 'unwired_input')
  }
  const wired = feeds ?? []
  const types = wired.map((feed) => (feed.length === 0 ? undefined : joined(feed.map((s) => s.type), atom, w.builder.report)))
  const node = makeAtom(atom, types, atom.kind, w.builder)
  for (const [input, feed] of wired.entries()) for (const source of feed) w.builder.connect(source, node, input, atom.span)
  return node.outputs.map((port, output) => ({ node, output, type: port.type }))
}

const baseOnly = (chain: Chain & { kind: 'choice' | 'trace' }, w: Wiring): 'error' => {
  const word = chain.kind === 'choice' ? '+' : 'trace'
  return fail(w, `'${word}' stands in the base category only`, chain, 'streams are combined with ; and *', 'stream_in_base')
}

const fail = (w: Wiring, message: string, at: Node, help?: string, code: 'arity_mismatch' | 'unwired_input' | 'stream_in_base' = 'arity_mismatch'): 'error' => {
  w.builder.report({ severity: 'error', code, message, span: at.span, ...(help === undefined ? {} : { help }) })
  return 'error'
}
