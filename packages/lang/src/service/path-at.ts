// From a place in the text to the nodes of the syntax tree around it.

import type { Node } from '../parse/ast.js'

/** From the outermost in. A node is around the places at both of its ends, so that a cursor after a name is on it. */
export const pathAt = (root: Node, offset: number): Node[] => {
  const path: Node[] = []
  for (
    let node: Node | undefined = root;
    node;
    node = childNodesOf(node).findLast(({ span }) => span.start <= offset && offset <= span.end)
  )
    path.push(node)
  return path
}

/** Is it a node of one of these kinds? */
export const isOf =
  <K extends string>(...kinds: readonly K[]) =>
  <T extends Node>(node: T): node is T & { kind: K } =>
    'kind' in node && (kinds as readonly unknown[]).includes(node.kind)

/** What holds a span is a node; other objects and lists are looked through. */
export const childNodesOf = (holder: object): Node[] =>
  Object.entries(holder).flatMap(([key, value]) => (key === 'span' ? [] : nodesIn(value)))

const nodesIn = (value: unknown): Node[] => {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(nodesIn)
  return 'span' in value ? [value as Node] : childNodesOf(value)
}
