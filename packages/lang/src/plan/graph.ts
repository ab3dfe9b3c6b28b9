// The wiring of one binding: processes as nodes, wires as edges. What the runtime runs, render draws and the checks look at.

import type { Span } from '../diagnostic/source.js'
import type { Environment, Local } from '../expression/infer/environment.js'
import type { Bound, Scope } from '../names/names.js'
import type { CrossingAtom, Expression, Port } from '../parse/ast.js'
import { JSON_TYPE, type Type } from '../types/type.js'

export interface Graph {
  readonly nodes: GraphNode[]
  readonly edges: Edge[]
}

export interface GraphNode {
  readonly id: number
  /** As the program calls it: the binding, channel or parameter, else the morphism's own word. */
  readonly name: string
  readonly span: Span
  readonly work: NodeWork
  readonly inputs: readonly GraphPort[]
  readonly outputs: readonly GraphPort[]
  /** The binding whose signature it stands for: of its ports, or with `end` of one of them, where a chain is expanded. */
  readonly signed?: { readonly bound: Bound; readonly end?: { readonly side: 'inlet' | 'outlet'; readonly port: number } }
  /** The bound chain or the each that it stands in, if it is a part of one; the ends of that are in it too. */
  readonly within?: Expansion
}

/** A bound chain that stands as its parts, or an each: one object for each place it was expanded at. */
export interface Expansion {
  readonly name: string
  readonly within?: Expansion
}

/** A type is undefined where an error was reported, and behind `empty`, which gives no message of any type. */
export interface GraphPort {
  readonly name: string
  readonly type: Type | undefined
}

export type NodeWork =
  /** A port of the binding itself: `input` gives what comes from outside, `output` takes what goes there. */
  | { readonly kind: 'input' | 'output'; readonly port: number }
  /** Whatever comes in goes to every output: id, copy, merge, a channel, the ends of a bound chain. */
  | {
      readonly kind: 'pass'
      readonly as: 'id' | 'copy' | 'merge' | 'channel' | 'inlet' | 'outlet'
      readonly isSelector: boolean
      /** endorse and declassify: a label is left behind. */
      readonly crossing?: CrossingAtom
      /** The bound chain that it stands for, where chains are not expanded. */
      readonly chain?: Bound
      /** A channel's own word about what flows through it. */
      readonly port?: Port
    }
  /** `lifted`: the expression is the name of a bare binding, and that is what is done with each message. */
  | { readonly kind: 'map'; readonly expression: Expression; readonly scope: Scope; readonly lifted?: Bound }
  /** map(f) where f is a tool, or calls one; `parallel`: calls at once. */
  | { readonly kind: 'call'; readonly expression: Expression; readonly bound: Bound; readonly parallel: number }
  | { readonly kind: 'filter'; readonly expression: Expression; readonly scope: Scope }
  | { readonly kind: 'discard' | 'empty' | 'barrier' | 'flatten' }
  /** `withinMs`: a list that is not full leaves so long after its first message. */
  | { readonly kind: 'batch'; readonly size: number; readonly withinMs: number | undefined }
  /** `state` is what the expression gave last, at first `from`. */
  | { readonly kind: 'fold'; readonly expression: Expression; readonly from: Expression; readonly scope: Scope; readonly state: Local }
  /** The entrance of each(p): takes lists apart. `inside`: what p stands as. `parallel`: elements in hand at once, if it says. */
  | { readonly kind: 'each'; readonly inside: Expansion; readonly parallel: number | undefined; readonly skips: boolean }
  /** The exit of each(p): makes a list of what comes back for the elements of one. */
  | { readonly kind: 'gather'; readonly inside: Expansion }
  /** The entrance of p + q: each message goes to the first, and what fails there to the next, by the output of its number. */
  | { readonly kind: 'choice'; readonly inside: Expansion }
  /** The exit of p + q: what comes out leaves in the order in which the messages came. */
  | { readonly kind: 'select'; readonly inside: Expansion }
  /** A port `error`: what the process fails on that these nodes are the inputs of, and what is between them and `inside`. */
  | { readonly kind: 'failures'; readonly of: readonly GraphNode[]; readonly inside: Expansion | undefined }
  /** A process of its own. */
  | { readonly kind: 'agent' | 'plumb'; readonly bound: Bound }

/** What the names in an expression of the node stand for. */
export const environmentOf = ({ inputs, work }: GraphNode): Environment => {
  const input = inputs[0]?.type ?? JSON_TYPE
  const scope = 'scope' in work ? work.scope : undefined
  return work.kind === 'fold' ? { input, scope, locals: work.state } : { input, scope }
}

export interface Edge {
  readonly from: GraphNode
  readonly output: number
  readonly to: GraphNode
  readonly input: number
  /** The receiver has to look at each message: its type is only known at run time, or defaults are to be filled in. */
  readonly isChecked: boolean
}

/** Where messages come out, on the way to somewhere. */
export interface NodeOutput {
  readonly node: GraphNode
  readonly output: number
  readonly type: Type | undefined
}

/** The nodes that a port `error` speaks for. */
export const nodesBehind = ({ of, inside }: NodeWork & { kind: 'failures' }, nodes: readonly GraphNode[]): readonly GraphNode[] =>
  inside ? nodes.filter((node) => isInExpansion(node, inside)) : of

export const isInExpansion = ({ within }: GraphNode, inside: Expansion): boolean => {
  for (let at = within; at; at = at.within) if (at === inside) return true
  return false
}

/** A process as those who wire it see it: the ports of one node, or of several for a bound chain. */
export interface Process {
  readonly name: string
  readonly inputs: readonly { readonly name: string; readonly type: Type | undefined; readonly node: GraphNode; readonly input: number }[]
  readonly outputs: readonly (NodeOutput & { readonly name: string })[]
}
