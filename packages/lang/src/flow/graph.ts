// Analyses a body or a bound chain: labels along its wires, loops included, to a fixed point.

import { ignore } from '../diagnostic/diagnostic.js'
import { unreachable } from '../diagnostic/unreachable.js'
import type { Bound } from '../names/names.js'
import type { Edge, Graph, GraphNode, NodeWork } from '../plan/graph.js'
import { environmentOf, nodesBehind } from '../plan/graph.js'
import { graphOf } from '../plan/root.js'
import { JSON_TYPE } from '../types/type.js'
import { failureShape } from './agent.js'
import type { Analysis, FlowOutcome, ProcessFlow } from './analysis.js'
import { itemShape, joinShapes, overlay } from './combine.js'
import { declaredShape, labelled, writesLabelIn } from './declared.js'
import { isTagged, NO_TAGS, type Tags, type TrailStep, uniteTags } from './label.js'
import { crossed, flat, isSame, listShape, PLAIN, type Shape, through, tupleOf, violationsOf } from './shape.js'
import { givenTo, isWorded, ofSignature, saidOf, wayAcross } from './signature.js'

/** After so many changes of one output its parts are merged into the whole: a loop may nest lists without end. */
const MAX_CHANGES = 30

export class GraphFlow implements ProcessFlow {
  readonly #graph: Graph
  readonly #into: ReadonlyMap<GraphNode, readonly Edge[]>
  readonly #outOf: ReadonlyMap<GraphNode, readonly GraphNode[]>
  readonly #outputs = new Map<GraphNode, readonly Shape[]>()
  readonly #seen = new Map<GraphNode, Tags>()
  readonly #parts = new Map<GraphNode, ProcessFlow>()
  readonly #changes = new Map<GraphNode, number>()
  /** External inputs, by the number of the port. */
  #given: readonly Shape[] = []

  constructor(
    private readonly bound: Bound,
    private readonly analysis: Analysis,
    graph = graphOf(bound, ignore),
  ) {
    this.#graph = graph
    const into = new Map<GraphNode, Edge[]>()
    const outOf = new Map<GraphNode, GraphNode[]>()
    for (const edge of this.#graph.edges) {
      into.set(edge.to, [...(into.get(edge.to) ?? []), edge])
      outOf.set(edge.from, [...(outOf.get(edge.from) ?? []), edge.to])
    }
    for (const node of this.#graph.nodes) {
      const { work } = node
      const of = work.kind === 'failures' ? nodesBehind(work, this.#graph.nodes) : work.kind === 'gather' ? this.#entrances(work) : []
      for (const other of of) outOf.set(other, [...(outOf.get(other) ?? []), node])
    }
    this.#into = into
    this.#outOf = outOf
  }

  run(inputs: readonly Shape[]): FlowOutcome {
    const signature = ofSignature(this.bound, this.analysis)
    this.#given = signature.enter(inputs)
    const waiting = new Set(this.#graph.nodes)
    // A set iterates over members that are added meanwhile.
    for (const node of waiting) {
      waiting.delete(node)
      if (this.#settle(node)) for (const next of this.#outOf.get(node) ?? []) waiting.add(next)
    }
    const ends = this.#graph.nodes.filter(({ work }) => work.kind === 'output')
    const step: TrailStep = { text: `through '${this.bound.name}'`, span: this.bound.binding.name.span }
    const outputs = ends.map((node) => this.#outputs.get(node)?.[0] ?? PLAIN)
    const isNamed = this.bound.name !== 'main'
    return {
      outputs: signature.leave(isNamed ? outputs.map((shape) => through(shape, step)) : outputs),
      seen: [...this.#seen.values()].reduce(uniteTags, NO_TAGS),
    }
  }

  /** The labels on a wire, after the analysis. */
  shapeOn({ from, output }: Edge): Shape {
    return this.#outputs.get(from)?.[output] ?? PLAIN
  }

  /** The labels of everything that a process received, emitted, and saw in between. */
  tagsIn(node: GraphNode): Tags {
    return this.#seen.get(node) ?? NO_TAGS
  }

  #entrances(work: NodeWork & { kind: 'gather' }): readonly GraphNode[] {
    return this.#graph.nodes.filter((node) => node.work.kind === 'each' && node.work.inside === work.inside)
  }

  #input(node: GraphNode, i: number): Shape {
    const edges = (this.#into.get(node) ?? []).filter(({ input }) => input === i)
    return edges.map(({ from, output }) => this.#outputs.get(from)?.[output] ?? PLAIN).reduce(joinShapes, PLAIN)
  }

  /** True: the output has changed. */
  #settle(node: GraphNode): boolean {
    const inputs = node.inputs.map((_, i) => entering(node, i, this.#input(node, i)))
    const { result, errors } = this.analysis.listen(() => this.analysis.at(node.span, () => this.#work(node, inputs)))
    const { outputs: made, seen: own } = result
    const seen = uniteTags(own, errors)
    const outputs = made.map((shape, i) => leaving(node, i, shape))
    const before = this.#outputs.get(node)
    const seenBefore = this.#seen.get(node)
    const all = [...inputs, ...outputs].map(flat).reduce(uniteTags, seen)
    this.#seen.set(node, all)
    const changes = this.#changes.get(node) ?? 0
    const kept = changes < MAX_CHANGES ? outputs : outputs.map((shape, i) => labelled(node.outputs[i]?.type ?? JSON_TYPE, flat(shape)))
    const isNew = !before || kept.some((shape, i) => !isSame(shape, before[i] ?? PLAIN))
    if (!isNew) return seenBefore === undefined || !isSame({ tags: all }, { tags: seenBefore })
    this.#outputs.set(node, kept)
    this.#changes.set(node, changes + 1)
    return true
  }

  #work(node: GraphNode, inputs: readonly Shape[]): FlowOutcome {
    const { work } = node
    const [first = PLAIN] = inputs
    const gives = (...outputs: readonly Shape[]): FlowOutcome => ({ outputs, seen: NO_TAGS })
    const step = (text: string): TrailStep => ({ text, span: node.span })
    switch (work.kind) {
      case 'input':
        return gives(this.#given[work.port] ?? PLAIN)
      case 'output':
        return gives(first)
      case 'pass': {
        if (work.chain) return this.#part(node, work.chain).run(inputs)
        const all = inputs.reduce(joinShapes, PLAIN)
        const passed = work.crossing ? crossed(all, work.crossing) : work.port ? this.#channel(node, work, all) : all
        return gives(...node.outputs.map(() => passed))
      }
      case 'conversation':
        return gives(...inputs)
      case 'agent':
      case 'plumb':
        return this.#part(node, work.bound).run(inputs)
      case 'map':
        if (work.lifted) return gives(this.analysis.call(work.lifted, first))
        return gives(through(this.analysis.expression(work.expression, first, environmentOf(node)), step(`through '${node.name}'`)))
      case 'call':
        return gives(this.analysis.call(work.bound, first))
      // Its condition labels nothing but what it fails on.
      case 'filter':
        return { outputs: [first], seen: flat(this.analysis.expression(work.expression, first, environmentOf(node))) }
      case 'discard':
      case 'empty':
        return gives(PLAIN)
      case 'barrier':
        return gives(tupleOf(inputs))
      case 'join':
        return gives(this.#join(node, work, inputs))
      case 'flatten':
        return gives(itemShape(first))
      case 'batch':
        return gives(listShape(first))
      case 'fold':
        return gives(through(this.#fold(node, work, first), step("through 'fold'")))
      case 'each':
        return gives(itemShape(first))
      case 'gather':
        return gives(
          listShape(
            first,
            this.#entrances(work)
              .map((entrance) => this.#input(entrance, 0).tags)
              .reduce(uniteTags, NO_TAGS),
          ),
        )
      case 'choice':
        return gives(...node.outputs.map(() => first))
      case 'select':
        return gives(first)
      case 'failures': {
        const tags = nodesBehind(work, this.#graph.nodes)
          .map((of) => this.#seen.get(of) ?? NO_TAGS)
          .reduce(uniteTags, NO_TAGS)
        return gives(through(failureShape(tags), step(`from '${node.name}'`)))
      }
      default:
        return unreachable(work)
    }
  }

  #part(node: GraphNode, bound: Bound): ProcessFlow {
    const part = this.#parts.get(node) ?? this.analysis.open(bound)
    this.#parts.set(node, part)
    return part
  }

  #fold(node: GraphNode, work: NodeWork & { kind: 'fold' }, input: Shape): Shape {
    const from = this.analysis.expression(work.from, PLAIN, { input: JSON_TYPE, scope: work.scope, isConstant: true })
    let state = joinShapes(this.#outputs.get(node)?.[0] ?? PLAIN, from)
    for (let round = 0; round < MAX_CHANGES; round++) {
      const given = this.analysis.expression(work.expression, input, environmentOf(node), new Map([[work.state, state]]))
      const next = joinShapes(state, given)
      if (next === state || isSame(next, state)) return this.#keyed(node, work, state, input)
      state = next
    }
    return labelled(work.state.type, flat(state))
  }

  // Which messages meet tells their keys.
  #join(node: GraphNode, { keys, scope }: NodeWork & { kind: 'join' }, inputs: readonly Shape[]): Shape {
    const tags = keys
      .map((key, i) => {
        const type = node.inputs[i]?.type ?? JSON_TYPE
        return flat(this.analysis.expression(key, inputs[i] ?? PLAIN, { input: type, scope }, new Map()))
      })
      .reduce(uniteTags, NO_TAGS)
    const tuple = tupleOf(inputs)
    const type = node.outputs[0]?.type
    return isTagged(tags) && type ? joinShapes(tuple, labelled(type, tags)) : tuple
  }

  // Which state it is that comes out tells the key.
  #keyed(node: GraphNode, { by, state: { type } }: NodeWork & { kind: 'fold' }, state: Shape, input: Shape): Shape {
    if (!by) return state
    const { scope } = environmentOf(node)
    const tags = flat(this.analysis.expression(by, input, { input: node.inputs[0]?.type ?? JSON_TYPE, scope }, new Map()))
    return isTagged(tags) ? joinShapes(state, labelled(type, tags)) : state
  }

  // A channel's declared type is trusted, as a signature is.
  #channel({ name, span }: GraphNode, { port }: NodeWork & { kind: 'pass' }, given: Shape): Shape {
    const written = port && { type: port.type, scope: this.bound.scope }
    if (!written || !writesLabelIn(written)) return given
    const step: TrailStep = { text: `from channel '${name}'`, span }
    for (const { label, trail } of violationsOf(given, declaredShape(written, 'takes', step))) {
      this.analysis.findings.add({
        label,
        sink: `channel '${name}', which says that it has none`,
        span: port.span,
        trail,
        last: [],
        help: `write '${label}' there, or put ${wayAcross(label)} before it`,
      })
    }
    return overlay(declaredShape(written, 'gives', step), given)
  }
}

// An expanded chain's signature applies at its ends, as it does for the chain as a whole.
const entering = ({ signed }: GraphNode, i: number, given: Shape): Shape => {
  if (!signed || signed.end?.side === 'outlet' || !isWorded(signed.bound)) return given
  return overlay(givenTo(signed.bound, signed.end?.port ?? i), given)
}

const leaving = ({ signed }: GraphNode, i: number, made: Shape): Shape => {
  if (!signed || signed.end?.side === 'inlet' || !isWorded(signed.bound)) return made
  return overlay(saidOf(signed.bound, signed.end?.port ?? i), made)
}
