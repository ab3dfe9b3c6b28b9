// A graph under construction: adds nodes and edges, and checks that every edge respects subtyping.

import { error, type Report } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import { conversion } from '../types/conversion.js'
import { ERROR_PORT, FAILURE } from '../types/failure.js'
import { printType } from '../types/print.js'
import { isSubtype } from '../types/subtype.js'
import { resolve, type Type } from '../types/type.js'
import { isWirable } from '../types/wirable.js'
import type { Edge, Expansion, GraphNode, GraphPort, NodeOutput, NodeWork, Process } from './graph.js'

export interface BuilderOptions {
  readonly report: Report
  /** Bound chains are expanded; else each is one node with the ports of its signature, which is enough for checks. */
  readonly isExpanded: boolean
}

export class Builder {
  readonly nodes: GraphNode[] = []
  readonly edges: Edge[] = []
  readonly report: Report
  readonly isOpen: boolean
  /** The current expansion, in which nodes are made. */
  private within: Expansion | undefined
  private readonly waiting: (() => void)[] = []
  private readonly known = new Set<string>()
  private readonly fed = new Set<string>()
  private readonly unjoined = new Set<string>()
  /** An end of a chain was named as that of a body, and reported. */
  hasToldOfEnds = false
  private readonly failures = new Map<Process, NodeOutput>()

  constructor({ report, isExpanded }: BuilderOptions) {
    this.report = report
    this.isOpen = isExpanded
  }

  node(name: string, span: Span, work: NodeWork, inputs: readonly GraphPort[], outputs: readonly GraphPort[]): GraphNode {
    const node = { id: this.nodes.length, name, span, work, inputs, outputs, ...(this.within ? { within: this.within } : {}) }
    this.nodes.push(node)
    return node
  }

  /** Makes the ends of a bound chain now, and its contents later: chains may be nested thousands deep. */
  expand<T>({ name, isShared }: Omit<Expansion, 'within'>, makeEnds: () => T, wireBetween: (ends: T) => void): T {
    const { opened, ends } = this.inside(name, (opened) => ({ opened, ends: makeEnds() }), isShared)
    this.waiting.push(() => {
      this.within = opened
      wireBetween(ends)
      this.within = undefined
    })
    return ends
  }

  /** Makes nodes in an expansion of their own. */
  inside<T>(name: string, make: (inside: Expansion) => T, isShared?: true): T {
    const outer = this.within
    const opened = { name, ...(outer ? { within: outer } : {}), ...(isShared ? { isShared } : {}) }
    this.within = opened
    const made = make(opened)
    this.within = outer
    return made
  }

  /** The port `error` of a process, made on first use. */
  failuresOf(process: Process, span: Span): NodeOutput {
    const known = this.failures.get(process)
    if (known) return known
    const ends = [process.inputs, process.outputs, (process.ends ?? []).map(({ hears }) => hears)].find((ports) => ports.length > 0) ?? []
    const of = [...new Set(ends.map(({ node }) => node))]
    const [first] = of
    const inside = first?.work.kind === 'pass' && first.work.as === 'inlet' ? first.within : undefined
    const work = { kind: 'failures', of, inside: this.isOpen ? inside : undefined } as const
    const node = this.node(`${process.name}@error`, span, work, [], [ERROR_PORT])
    const output = { node, output: 0, type: FAILURE }
    this.failures.set(process, output)
    return output
  }

  /** Wires everything that was opened. */
  finish(): void {
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) next()
  }

  /** A repeated edge counts once. `span` is where the receiver is named. */
  connect(from: NodeOutput, to: GraphNode, input: number, span: Span): void {
    const key = `${from.node.id}.${from.output}>${to.id}.${input}`
    if (this.known.has(key)) return
    this.known.add(key)
    this.markFed(to, input)
    const target = to.inputs[input]?.type
    const fit = from.type && target ? this.fit(from, from.type, to, target, span) : 'static'
    if (fit !== 'no') this.edges.push({ from: from.node, output: from.output, to, input, isChecked: fit === 'checked' })
  }

  /** It was meant to have an input, even if that had an error: a missing edge is not a second error. */
  markFed(node: GraphNode, input: number): void {
    this.fed.add(`${node.id}.${input}`)
  }

  isFed(node: GraphNode, input: number): boolean {
    return this.fed.has(`${node.id}.${input}`)
  }

  private fit(from: NodeOutput, source: Type, to: GraphNode, target: Type, span: Span): 'static' | 'checked' | 'no' {
    const fit = isWirable(source, target)
    if (fit !== 'no') return fit
    // A typed selector: messages of other variants are dropped.
    if (isSelector(to) && resolve(source).kind === 'sum' && isSubtype(target, source)) return 'checked'
    // Of the branches that a barrier would join one is told.
    if (resolve(target).kind === 'tuple') {
      const end = `${to.id}.${span.start}`
      if (this.unjoined.has(end)) return 'no'
      this.unjoined.add(end)
    }
    const message = `'${owner(from.node)}' gives '${printType(source)}', '${owner(to)}' takes '${printType(target)}'`
    this.report(error('type_mismatch', message, span, conversion(source, target)))
    return 'no'
  }
}

/** The process of one node. */
export const processOf = (node: GraphNode): Process => ({
  name: node.name,
  inputs: node.inputs.map((port, input) => ({ ...port, node, input })),
  outputs: node.outputs.map((port, output) => ({ ...port, node, output })),
})

// The owner of the signature: map's target has one of its own; the exit of an each represents the whole.
const owner = ({ name, work }: GraphNode): string => {
  if (work.kind === 'gather') return 'each'
  if (work.kind === 'call') return work.bound.name
  return work.kind === 'map' && work.lifted ? work.lifted.name : name
}

const isSelector = ({ work }: GraphNode): boolean => work.kind === 'filter' || (work.kind === 'pass' && work.isSelector)
