// Wires chains: adds the edges of a chain after its sources and returns its outputs, by the rules of plumbing(5), WIRING.

import { eachSettings, elementUnder } from '../base/each.js'
import { error } from '../diagnostic/diagnostic.js'
import { checkUsed } from '../expression/check-expression.js'
import { findInChain } from '../names/find-in-chain.js'
import { fieldOfWhole, memberOf } from '../names/member.js'
import { printName, type Scope } from '../names/names.js'
import type { Chain, Choice, EachAtom, FieldOf, MorphismAtom, Node, Reference } from '../parse/ast.js'
import { firstOf, lastOf, partsOfTensor } from '../parse/chain-parts.js'
import { refuseDeepType } from '../types/depth.js'
import { isJson } from '../types/kind.js'
import type { Type } from '../types/type.js'
import { arityOf, joined, makeAtom, portName } from './atom.js'
import type { Builder } from './builder.js'
import type { NodeOutput, Process } from './graph.js'

/**
 * The sources of each input of a chain. `head`: the chain begins a statement, its first processes are sources only. `unknown`: there is a
 * source, but it has an error, already reported.
 */
export type Feeds = readonly (readonly NodeOutput[])[] | 'head' | 'unknown'

export interface WireContext {
  readonly builder: Builder
  readonly scope: Scope
  /** The process that a reference names here. Undefined: it has an error, already reported. */
  place(reference: Reference): Process | undefined
  /** The same as an instance of its own, where only a binding is allowed. `where`: its context. */
  placeAlone(reference: Reference, where: string): Process | undefined
}

/** The outputs; `'error'`: already reported. Names after an error are looked up all the same. */
export const wire = (chain: Chain, feeds: Feeds, w: WireContext): readonly NodeOutput[] | 'error' => {
  switch (chain.kind) {
    case 'sequence':
      return sequence(chain.items, feeds, w)
    case 'tensor':
      return tensor(partsOfTensor(chain), feeds, w)
    case 'each':
      return wireEach(chain, feeds, w)
    case 'choice':
      return wireChoice(chain, feeds, w)
    case 'trace':
      return fail(w, `'trace' is allowed in the base category only`, chain, 'streams are combined with ; and *', 'stream_in_base')
    case 'field':
      return field(chain, feeds, w)
    case 'reference':
      return reference(chain, feeds, w)
    default:
      return morphism(chain, feeds, w)
  }
}

/** Distributes m branches to the n inputs of a chain: one each, one to all, or all to one. `before` names their origin. */
export const feed = (sources: readonly NodeOutput[], chain: Chain, before: string | Chain, w: WireContext): Feeds => {
  const inputs = arity(chain, sources.length, w)
  if (inputs === 'error') return 'unknown'
  const [only] = sources
  // As in `a ; output ; input ; b`, where two wires were meant.
  if (!only && inputs === 0 && typeof before !== 'string') {
    fail(w, `nothing comes out of ${described(before)} here`, before, 'a wire ends there: begin the next one on a line of its own')
    return 'unknown'
  }
  if (sources.length === inputs) return sources.map((s) => [s])
  if (inputs === 0) fail(w, `nothing can be wired into ${described(chain)}`, chain)
  else if (!only) {
    if (typeof before === 'string')
      fail(w, `nothing is wired into ${described(chain)}: '${before}' has no input`, chain, undefined, 'unwired_input')
    else fail(w, `nothing comes out of ${described(before)} here`, before)
  } else if (sources.length === 1) return Array.from({ length: inputs }, () => [only])
  else if (inputs === 1) return [sources]
  else
    fail(
      w,
      `${sources.length} branches meet ${inputs}`,
      chain,
      'between tensors of m and n branches m and n are equal, or one of them is 1',
    )
  return 'unknown'
}

const described = (chain: Chain): string => {
  if (chain.kind === 'reference') return `'${printName(chain.name)}${chain.port ? `@${chain.port.text}` : ''}'`
  return chain.kind === 'empty' || chain.kind === 'discard' ? `'${chain.kind}'` : 'this'
}

/** The number of inputs of a chain for m branches: merge and barrier take the remaining ones. */
const arity = (chain: Chain, branches: number, w: WireContext): number | 'error' => {
  const fixed = fixedArity(chain, w)
  if (fixed === 'error' || typeof fixed === 'number') return fixed
  if (fixed === 'unclear') return fail(w, 'it is not clear which branches belong to which', chain, 'join one of them in a chain of its own')
  const { others, atom } = fixed
  return branches - others < 2 ? fail(w, `'${atom.kind}' needs two or more inputs`, atom, `as in '(a * b) ; ${atom.kind}'`) : branches
}

/** `unclear`: two morphisms accept any number of inputs. */
type Arity = number | { readonly others: number; readonly atom: MorphismAtom } | 'unclear' | 'error'

const fixedArity = (chain: Chain, w: WireContext): Arity => {
  switch (chain.kind) {
    case 'sequence':
      return chain.items[0] ? fixedArity(chain.items[0], w) : 0
    case 'field':
      return fixedArity(memberOf(chain, w.scope) ?? chain.of, w)
    case 'reference':
      return w.place(chain) ? mainInputs(chain, w).length : 'error'
    case 'tensor':
      return chain.items.map((item) => fixedArity(item, w)).reduce(together, 0)
    case 'choice':
    case 'each':
    case 'trace':
      return 1
    default: {
      const n = arityOf(chain)
      return n === 'many' ? { others: 0, atom: chain } : n
    }
  }
}

const together = (a: Arity, b: Arity): Arity => {
  if (a === 'error' || b === 'error') return 'error'
  if (a === 'unclear' || b === 'unclear') return 'unclear'
  if (typeof a === 'number') return typeof b === 'number' ? a + b : { ...b, others: a + b.others }
  return typeof b === 'number' ? { ...a, others: a.others + b } : 'unclear'
}

const sequence = (items: readonly Chain[], feeds: Feeds, w: WireContext): readonly NodeOutput[] | 'error' => {
  let sources: readonly NodeOutput[] | 'error' = []
  for (const [i, item] of items.entries()) {
    if (i === 0) sources = wire(item, feeds, w)
    else if (sources === 'error') sources = wire(item, 'unknown', w)
    else sources = wire(item, feed(sources, item, items[i - 1] ?? item, w), w)
  }
  return sources
}

const tensor = (items: readonly Chain[], feeds: Feeds, w: WireContext): readonly NodeOutput[] | 'error' => {
  const outs = split(items, feeds, w).map((part, i) => wire(items[i] as Chain, part, w))
  return outs.every((out) => out !== 'error') ? outs.flat() : 'error'
}

// Each takes its own inputs; the one merge or barrier among them takes the rest.
const split = (items: readonly Chain[], feeds: Feeds, w: WireContext): readonly Feeds[] => {
  if (feeds === 'head' || feeds === 'unknown') return items.map(() => feeds)
  const arities = items.map((item) => fixedArity(item, w))
  const others = arities.reduce<number>((sum, n) => sum + (typeof n === 'number' ? n : 0), 0)
  let used = 0
  return arities.map((n) => {
    const from = used
    used += typeof n === 'number' ? n : feeds.length - others
    return feeds.slice(from, used)
  })
}

const field = (chain: FieldOf, feeds: Feeds, w: WireContext): readonly NodeOutput[] | 'error' => {
  const member = memberOf(chain, w.scope)
  if (member) return wire(member, feeds, w)
  const outs = wire(chain.of, feeds, w)
  if (outs === 'error') return outs
  if (outs.length === 0) return fail(w, `nothing comes out of ${described(chain.of)} here`, chain.of)
  const expression = fieldOfWhole(chain)
  const { text, span } = chain.field
  return outs.map((source) => {
    const type = source.type && checkUsed(expression, { input: source.type, scope: w.scope }, w.builder.report)
    const node = w.builder.node(
      `.${text}`,
      span,
      { kind: 'map', expression, scope: w.scope },
      [{ name: 'input', type: source.type }],
      [{ name: 'output', type }],
    )
    w.builder.connect(source, node, 0, span)
    return { node, output: 0, type }
  })
}

const reference = (chain: Reference, feeds: Feeds, w: WireContext): readonly NodeOutput[] | 'error' => {
  const process = w.place(chain)
  if (!process) return 'error'
  const isFailures = chain.port?.text === 'error' && !hasPort(process, 'error')
  if (isFailures && feeds !== 'head') {
    const help = `what '${process.name}' fails on comes out there, as in '${process.name}@error ; …'`
    return feeds === 'unknown' ? 'error' : fail(w, `nothing can be wired into ${described(chain)}: it is a source`, chain, help)
  }
  if (isFailures) return [w.builder.failuresOf(process, chain.span)]
  for (const [i, port] of mainInputs(chain, w).entries()) {
    if (feeds === 'unknown') w.builder.markFed(port.node, port.input)
    else if (feeds !== 'head') for (const source of feeds[i] ?? []) w.builder.connect(source, port.node, port.input, chain.span)
  }
  if (chain.port) return process.outputs.filter((o) => o.name === chain.port?.text)
  const output = process.outputs.filter((o) => o.name === 'output')
  return output.length > 0 ? output : process.outputs
}

const hasPort = ({ inputs, outputs }: Process, name: string): boolean => [...inputs, ...outputs].some((port) => port.name === name)

// A process without a named port means its `input` if it has one, else all its inputs in order.
const mainInputs = (chain: Reference, w: WireContext): Process['inputs'] => {
  const inputs = w.place(chain)?.inputs ?? []
  if (chain.port) return inputs.filter((p) => p.name === chain.port?.text)
  const input = inputs.filter((p) => p.name === 'input')
  return input.length > 0 ? input : inputs
}

const morphism = (atom: MorphismAtom, feeds: Feeds, w: WireContext): readonly NodeOutput[] | 'error' => {
  if (feeds === 'head' && atom.kind !== 'empty') {
    return fail(w, `nothing is wired into '${atom.kind}' here`, atom, "wire something into it, as in 'input ; …'", 'unwired_input')
  }
  // Outputs after an error may still have a known type.
  const unknown = Array.from({ length: arityOf(atom) === 'many' ? 2 : Number(arityOf(atom)) }, () => [])
  const wired = feeds === 'head' ? [] : feeds === 'unknown' ? unknown : feeds
  const types = wired.map((sources) =>
    joined(
      sources.map((s) => s.type),
      atom,
      w.builder.report,
    ),
  )
  const node = makeAtom(atom, types, atom.kind, w.scope, w.builder)
  for (const [input, sources] of wired.entries()) for (const source of sources) w.builder.connect(source, node, input, atom.span)
  return node.outputs.map((port, output) => ({ node, output, type: port.type }))
}

const wireEach = (each: EachAtom, feeds: Feeds, w: WireContext): readonly NodeOutput[] | 'error' => {
  const { chain, span } = each
  const { builder } = w
  const inner: WireContext = { ...w, place: (reference) => w.placeAlone(reference, 'each') }
  const given =
    feeds === 'head' ? fail(w, "nothing is wired into 'each' here", each, "wire a list into it, as in 'input ; …'", 'unwired_input') : feeds
  const sources = given === 'error' || given === 'unknown' ? [] : (given[0] ?? [])
  const type = sources.length > 0 ? typeOf(sources, each, w) : undefined
  const gathers = findInChain({ chain, scope: w.scope }, gathered, true)
  if (gathers)
    return fail(
      w,
      `a ${gathers} cannot be in 'each'`,
      chain,
      'what it gives stems from several elements; put it behind the each',
      'spec_invalid',
    )
  const { parallel, skips } = eachSettings(each, w.scope, builder.report)
  const element = type && elementUnder(type, 'each', each, builder.report)
  const list: Type | undefined = element && (type && isJson(type) ? { kind: 'array', item: element } : type)
  return builder.inside('each', (inside) => {
    const entrance = builder.node(
      'each',
      span,
      { kind: 'each', inside, parallel, skips },
      [{ name: 'input', type: list }],
      [{ name: 'output', type: element }],
    )
    for (const source of sources) builder.connect(source, entrance, 0, span)
    const isSingle = takesOne(chain, inner, 'each')
    const outs = wire(chain, isSingle ? feed([{ node: entrance, output: 0, type: element }], chain, each, inner) : 'unknown', inner)
    if (outs === 'error' || given === 'error') return 'error'
    const [out, another] = outs
    if (!out || another) {
      const help = 'it takes a process of one input and one output, so that it knows what comes of an element'
      return fail(w, `'each' takes a process of one output, this has ${outs.length || 'none'}`, lastOf(chain), help)
    }
    const gather = builder.node(
      'gather',
      span,
      { kind: 'gather', inside },
      [{ name: 'input', type: out.type }],
      [{ name: 'output', type: listOf(out.type, each, w) }],
    )
    builder.connect(out, gather, 0, lastOf(chain).span)
    return [{ node: gather, output: 0, type: gather.outputs[0]?.type }]
  })
}

const wireChoice = (choice: Choice, feeds: Feeds, w: WireContext): readonly NodeOutput[] | 'error' => {
  const { items, span } = choice
  const { builder } = w
  const inner: WireContext = { ...w, place: (reference) => w.placeAlone(reference, '+') }
  const given =
    feeds === 'head'
      ? fail(w, "nothing is wired into '+' here", choice, "wire something into it, as in 'input ; …'", 'unwired_input')
      : feeds
  const sources = given === 'error' || given === 'unknown' ? [] : (given[0] ?? [])
  const joining = items.find((chain) => findInChain({ chain, scope: w.scope }, keyed, true))
  if (joining)
    fail(w, `a ${BY_KEYS} cannot be in '+'`, joining, 'what it gives stems from several messages; put it behind the +', 'spec_invalid')
  const type = sources.length > 0 ? typeOf(sources, choice, w) : undefined
  return builder.inside('+', (inside) => {
    const outputs = items.map((_, i) => ({ name: portName('output', i), type }))
    const entrance = builder.node('+', span, { kind: 'choice', inside }, [{ name: 'input', type }], outputs)
    for (const source of sources) builder.connect(source, entrance, 0, span)
    const ends = items.map((item, output) => {
      const outs = wire(item, takesOne(item, inner, '+') ? feed([{ node: entrance, output, type }], item, choice, inner) : 'unknown', inner)
      if (outs === 'error') return undefined
      const [out, another] = outs
      if (out && !another) return out
      const help = 'it takes processes of one input and one output, so that it knows what comes of a message'
      fail(w, `'+' takes processes of one output, this has ${outs.length || 'none'}`, lastOf(item), help)
      return undefined
    })
    if (!ends.every((end) => end !== undefined) || given === 'error') return 'error'
    const output = typeOf(ends, choice, w)
    const exit = builder.node('+', span, { kind: 'select', inside }, [{ name: 'input', type: output }], [{ name: 'output', type: output }])
    for (const [i, end] of ends.entries()) builder.connect(end, exit, 0, lastOf(items[i] as Chain).span)
    return [{ node: exit, output: 0, type: output }]
  })
}

const BY_KEYS = "'barrier' by keys"

/** What makes one of several messages, whatever they stem from. */
const gathered = (chain: Chain): string | undefined => {
  if (chain.kind === 'batch') return "'batch'"
  if (chain.kind === 'fold' && chain.emit) return `'fold' with emit: "end"`
  return keyed(chain)
}

const keyed = (chain: Chain): string | undefined => (chain.kind === 'barrier' && chain.join ? BY_KEYS : undefined)

const typeOf = (sources: readonly NodeOutput[], at: Node, { builder }: WireContext): Type | undefined =>
  joined(
    sources.map((source) => source.type),
    at,
    builder.report,
  )

const listOf = (item: Type | undefined, { span }: Node, { builder }: WireContext): Type | undefined => {
  const list: Type | undefined = item && { kind: 'array', item }
  return list && refuseDeepType(list, span, builder.report) ? undefined : list
}

// A tensor at the head copies the one input to all its branches; a process with several inputs takes no element.
const takesOne = (chain: Chain, w: WireContext, where: 'each' | '+'): boolean => {
  const first = firstOf(chain)
  const inputs = first.kind === 'tensor' ? 1 : fixedArity(first, w)
  if (inputs === 1 || inputs === 'error') return true
  const count = typeof inputs === 'number' ? inputs || 'none' : 'several'
  fail(w, `'${where}' takes a process of one input, this has ${count}`, first, 'give it a tuple, and take that apart inside')
  return false
}

const fail = (
  w: WireContext,
  message: string,
  at: Node,
  help?: string,
  code: 'arity_mismatch' | 'unwired_input' | 'stream_in_base' | 'spec_invalid' = 'arity_mismatch',
): 'error' => {
  w.builder.report(error(code, message, at.span, help))
  return 'error'
}
