// A graph while it is being wired: adds nodes and edges, and holds every edge to the rule of subtypes.

import type { Report } from '../diagnostic.js'
import type { Span } from '../source.js'
import { printType } from '../types/print.js'
import { isSubtype } from '../types/subtype.js'
import { resolve, type Type } from '../types/type.js'
import { isWirable } from '../types/wirable.js'
import type { Edge, GraphNode, GraphPort, Opened, Process, Source, Work } from './graph.js'

export class Builder {
  readonly nodes: GraphNode[] = []
  readonly edges: Edge[] = []
  /** What is being laid open: nodes are made within it. */
  within: Opened | undefined
  private readonly known = new Set<string>()
  private readonly refused = new Set<string>()

  constructor(readonly report: Report) {}

  node(name: string, span: Span, work: Work, inputs: readonly GraphPort[], outputs: readonly GraphPort[]): GraphNode {
    const node = { id: this.nodes.length, name, span, work, inputs, outputs, ...(this.within ? { within: this.within } : {}) }
    this.nodes.push(node)
    return node
  }

  /** The same edge written twice counts once. `span` is where the receiver is named. */
  connect(from: Source, to: GraphNode, input: number, span: Span): void {
    const key = `${from.node.id}.${from.output}>${to.id}.${input}`
    if (this.known.has(key)) return
    this.known.add(key)
    const target = to.inputs[input]?.type
    const fit = from.type && target ? this.fit(from, from.type, to, target, span) : 'static'
    if (fit === 'no') this.refused.add(`${to.id}.${input}`)
    else this.edges.push({ from: from.node, output: from.output, to, input, isChecked: fit === 'checked' })
  }

  /** Something was wired into it that did not fit: that it has no edge is no second error. */
  wasRefused(node: GraphNode, input: number): boolean {
    return this.refused.has(`${node.id}.${input}`)
  }

  private fit(from: Source, source: Type, to: GraphNode, target: Type, span: Span): 'static' | 'checked' | 'no' {
    const fit = isWirable(source, target)
    if (fit !== 'no') return fit
    // A typed selector: what is no such variant is dropped.
    if (isSelector(to) && resolve(source).kind === 'sum' && isSubtype(target, source)) return 'checked'
    const help = conversion(source, target)
    const message = `'${from.node.name}' gives '${printType(source)}', '${to.name}' takes '${printType(target)}'`
    this.report({ severity: 'error', code: 'type_mismatch', message, span, ...(help === undefined ? {} : { help }) })
    return 'no'
  }
}

/** The process of one node. */
export const processOf = (node: GraphNode): Process => ({
  name: node.name,
  inputs: node.inputs.map((port, input) => ({ ...port, node, input })),
  outputs: node.outputs.map((port, output) => ({ ...port, node, output })),
})

export const isSelector = ({ work }: GraphNode): boolean => work.kind === 'filter' || (work.kind === 'pass' && work.isSelector)

const conversion = (source: Type, target: Type): string | undefined => {
  const from = resolve(source)
  const to = resolve(target)
  if (to.kind === 'string' && from.kind !== 'string') return "convert in between: '; map(text(value))'"
  if (from.kind === 'string' && to.kind === 'number') return "convert in between: '; map(number(value))'"
  if (from.kind === 'string' && to.kind === 'int') return "convert in between: '; map(round(number(value)))'"
  if (from.kind === 'number' && to.kind === 'int') return "convert in between: '; map(round(value))', or floor or ceil"
  if (from.kind === 'record' && to.kind !== 'record') {
    const field = from.fields.find((f) => !f.isOptional && isSubtype(f.type, target))
    if (field) return `take the field: '.${field.name}'`
  }
  return undefined
}
