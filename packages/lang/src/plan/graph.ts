// The graph of one binding: processes as nodes, wires as edges. The runtime runs it, render draws it, and checks read it.

import type { Span } from '../diagnostic/source.js'
import type { Environment, Local } from '../expression/infer/environment.js'
import type { Bound, EndPoint, Protocol, Scope } from '../names/names.js'
import type { CrossingAtom, Expression, Port } from '../parse/ast.js'
import { JSON_TYPE, type Type } from '../types/type.js'

export interface Graph {
  readonly nodes: GraphNode[]
  readonly edges: Edge[]
}

export interface GraphNode {
  readonly id: number
  /** Its name in the program: the binding, channel or parameter, else the morphism's own word. */
  readonly name: string
  readonly span: Span
  readonly work: NodeWork
  readonly inputs: readonly GraphPort[]
  readonly outputs: readonly GraphPort[]
  /** The binding whose signature it represents: its ports, or with `end` one of them, if a chain is expanded. */
  readonly signed?: { readonly bound: Bound; readonly end?: { readonly side: 'inlet' | 'outlet'; readonly port: number } }
  /** The bound chain or each around it, if it is part of one; the ends of that are in it too. */
  readonly within?: Expansion
}

/** An expanded bound chain, or an each: one object for each place of expansion. */
export interface Expansion {
  readonly name: string
  readonly isShared?: true
  readonly within?: Expansion
}

/** A type is undefined if an error was reported, and after `empty`, which sends no message of any type. */
export interface GraphPort {
  readonly name: string
  readonly type: Type | undefined
}

export type NodeWork =
  /** A port of the binding itself: `input` emits external messages, `output` receives results. */
  | { readonly kind: 'input' | 'output'; readonly port: number }
  /** Every input goes to every output: id, copy, merge, a channel, the ends of a bound chain. */
  | {
      readonly kind: 'pass'
      readonly as: 'id' | 'copy' | 'merge' | 'channel' | 'inlet' | 'outlet'
      readonly isSelector: boolean
      /** endorse and declassify: removes a label. */
      readonly crossing?: CrossingAtom
      /** The bound chain that it represents, if chains are not expanded. */
      readonly chain?: Bound
      /** A channel's declared type. */
      readonly port?: Port
    }
  /** `lifted`: the expression is the name of a bare binding, which is applied to each message. */
  | { readonly kind: 'map'; readonly expression: Expression; readonly scope: Scope; readonly lifted?: Bound }
  /** map(f) for an f that is a tool, or calls one; `parallel`: maximum concurrent calls. */
  | { readonly kind: 'call'; readonly expression: Expression; readonly bound: Bound; readonly parallel: number }
  | { readonly kind: 'filter'; readonly expression: Expression; readonly scope: Scope }
  | { readonly kind: 'discard' | 'empty' | 'barrier' | 'flatten' }
  /** A barrier by keys: one for each input. `drops`: what finds no partner goes without a word. */
  | {
      readonly kind: 'join'
      readonly keys: readonly Expression[]
      readonly withinMs: number | undefined
      readonly drops: boolean
      readonly scope: Scope
    }
  /** `withinMs`: a partial list leaves this long after its first message. Without a size it gathers all. */
  | { readonly kind: 'batch'; readonly size: number | undefined; readonly withinMs: number | undefined }
  /** `state` is the last result of the expression, initially `from`; one for each value of `by`. */
  | {
      readonly kind: 'fold'
      readonly expression: Expression
      readonly from: Expression
      readonly by: Expression | undefined
      /** Sends only the last states, at the end. */
      readonly atEnd: boolean
      readonly scope: Scope
      readonly state: Local
    }
  /** The entrance of each(p): splits lists. `inside`: the expansion of p. `parallel`: maximum elements in flight, if given. */
  | { readonly kind: 'each'; readonly inside: Expansion; readonly parallel: number | undefined; readonly skips: boolean }
  /** The exit of each(p): collects the results for the elements of a list. */
  | { readonly kind: 'gather'; readonly inside: Expansion }
  /** The entrance of p + q: each message goes to the first alternative, and on failure to the next, by the output of its number. */
  | { readonly kind: 'choice'; readonly inside: Expansion }
  /** The exit of p + q: results leave in the order of the messages. */
  | { readonly kind: 'select'; readonly inside: Expansion }
  /** A port `error`: failures of the process between these nodes, its inputs, and `inside`. */
  | { readonly kind: 'failures'; readonly of: readonly GraphNode[]; readonly inside: Expansion | undefined }
  /** A conversation between two processes: input 0 is what the side as written says, 1 what the other says; output 0 goes to that, 1 to the first. */
  | { readonly kind: 'conversation'; readonly protocol: Protocol; readonly sides: readonly [ConversationSide, ConversationSide] }
  /** A process of its own. */
  | { readonly kind: 'agent' | 'plumb'; readonly bound: Bound }

export interface ConversationSide {
  /** The process that speaks. */
  readonly name: string
  /** It is sent lines that name a choice; the control channel of plumb-agent takes commands alone. */
  readonly hearsChoices: boolean
  /** A program of others speaks there: only its reply tells that it has dealt with a message. */
  readonly isForeign: boolean
}

/** The environment of the node's expression. */
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
  /** The receiver has to check each message: its type is only known at run time, or defaults have to be added. */
  readonly isChecked: boolean
}

/** An output of messages. */
export interface NodeOutput {
  readonly node: GraphNode
  readonly output: number
  readonly type: Type | undefined
}

/** The nodes whose failures a port `error` emits. */
export const nodesBehind = ({ of, inside }: NodeWork & { kind: 'failures' }, nodes: readonly GraphNode[]): readonly GraphNode[] =>
  inside ? nodes.filter((node) => isInExpansion(node, inside)) : of

/** Of the graph of this binding, or within a bound chain, under `@shared`. */
export const isSharedNode = ({ within, signed }: GraphNode, { isShared }: Bound): boolean => {
  if (isShared || signed?.bound.isShared) return true
  for (let at = within; at; at = at.within) if (at.isShared) return true
  return false
}

export const isInExpansion = ({ within }: GraphNode, inside: Expansion): boolean => {
  for (let at = within; at; at = at.within) if (at === inside) return true
  return false
}

/** A process for wiring: the ports of one node, or of several for a bound chain. */
export interface Process {
  readonly name: string
  readonly inputs: readonly { readonly name: string; readonly type: Type | undefined; readonly node: GraphNode; readonly input: number }[]
  readonly outputs: readonly (NodeOutput & { readonly name: string })[]
  /** Its ends of conversations, of which the ports are not among the others. */
  readonly ends?: readonly ProcessEnd[]
}

export interface ProcessEnd {
  readonly name: string
  /** `control`: of an agent whose signature names no end point. */
  readonly speaks: EndPoint | 'control'
  /** Its place among the inputs, if it has one. */
  readonly place: number | undefined
  /** It is told choices. */
  readonly hearsChoices: boolean
  readonly isForeign: boolean
  readonly hears: { readonly node: GraphNode; readonly input: number }
  readonly says: NodeOutput
}
