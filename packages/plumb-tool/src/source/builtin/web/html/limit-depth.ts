// Flattens elements beyond a depth, since the later passes are recursive.

import type { DefaultTreeAdapterTypes } from 'parse5'

type Node = DefaultTreeAdapterTypes.Node
type Parent = DefaultTreeAdapterTypes.ParentNode
type Child = DefaultTreeAdapterTypes.ChildNode

const MAX_DEPTH = 200

export const limitDepth = (root: Parent): void => {
  const open: { readonly parent: Parent; readonly depth: number }[] = [{ parent: root, depth: 0 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { parent, depth } = next
    if (depth === MAX_DEPTH) flatten(parent)
    else for (const child of childrenOf(parent)) open.push({ parent: child as Parent, depth: depth + 1 })
  }
}

/** Keeps only the text nodes, in order. */
const flatten = (parent: Parent): void => {
  const texts: Child[] = []
  const open: Node[] = [...childrenOf(parent)].reverse()
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.nodeName === '#text') texts.push(node as Child)
    else for (const child of [...childrenOf(node)].reverse()) open.push(child)
  }
  parent.childNodes = texts
}

const childrenOf = (node: Node): readonly Child[] => ('childNodes' in node ? node.childNodes : [])
