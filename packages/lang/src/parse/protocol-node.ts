// The nodes of protocols: in what order calls and messages come.

import type { Name, Node, QualifiedName } from './node.js'
import type { TypeExpression } from './type-node.js'

/** `protocol name = steps` */
export interface ProtocolDeclaration extends Node {
  readonly kind: 'protocol'
  readonly name: Name
  readonly steps: Steps
}

/** One after the other; that only the last ends, loops, goes on elsewhere or chooses is not of the grammar, and checked later. */
export interface Steps extends Node {
  readonly list: readonly [ProtocolStep, ...ProtocolStep[]]
}

export type ProtocolStep = MessageStep | CallStep | LoopStep | EndStep | NamedStep | ProtocolChoice

export interface MessageStep extends Node {
  readonly kind: 'send' | 'recv'
  readonly type: TypeExpression
}
export type CallStep = Node & { readonly kind: 'call'; readonly tool: Name }
/** Back to the top of this protocol. */
export type LoopStep = Node & { readonly kind: 'loop' }
export type EndStep = Node & { readonly kind: 'end' }
/** Goes on as another protocol. */
export interface NamedStep extends Node {
  readonly kind: 'named'
  readonly name: QualifiedName
}
export interface ProtocolChoice extends Node {
  readonly kind: 'choice'
  readonly branches: readonly Branch[]
}
/** `label: steps`, or a lone `end` or `loop`. */
export type Branch = (Node & { readonly kind: 'labelled'; readonly label: Name; readonly steps: Steps }) | LoopStep | EndStep
