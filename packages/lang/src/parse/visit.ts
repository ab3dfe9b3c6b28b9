// All nodes of a syntax tree, whatever their kinds.

import type { Entry, Node } from './ast.js'

export interface AnyNode extends Node {
  readonly kind?: string
  readonly [part: string]: unknown
}

/** Calls `look` with each node, from the outside in. What holds a span is a node; other objects and lists are looked through. */
export const visitNodes = (value: unknown, look: (node: AnyNode) => void): void => {
  if (typeof value !== 'object' || value === null) return
  if ('span' in value) look(value as AnyNode)
  for (const [key, part] of Object.entries(value)) if (key !== 'span') visitNodes(part, look)
}

/** Calls `look` with each entry of a config. */
export const visitEntries = (value: unknown, look: (entry: Entry) => void): void =>
  visitNodes(value, (node) => {
    if (isEntry(node)) look(node)
  })

const isEntry = (node: AnyNode): node is AnyNode & Entry =>
  isObject(node.key) && 'text' in node.key && isObject(node.value) && 'kind' in node.value

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Does it contain one of the words for labels: untrusted, secret, endorse or declassify? */
export const writesLabel = (value: unknown): boolean => {
  let isFound = false
  visitNodes(value, ({ kind }) => {
    if (kind === 'labelled' || kind === 'endorse' || kind === 'declassify') isFound = true
  })
  return isFound
}

/** Does it say of a type, or a part of it, that it is secret? */
export const writesSecret = (value: unknown): boolean => {
  let isFound = false
  visitNodes(value, ({ kind, label }) => {
    if (kind === 'labelled' && label === 'secret') isFound = true
  })
  return isFound
}
