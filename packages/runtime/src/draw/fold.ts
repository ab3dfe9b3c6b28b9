// Removes the nodes that only join wires: the ends of expanded chains, and channels with one wire in and one out.

import type { Edge, Graph, GraphNode } from '@plumb/lang'

/** A wire from one port to another, through what was folded into it. */
export interface FoldedWire {
  readonly from: GraphNode
  readonly output: number
  readonly to: GraphNode
  readonly input: number
  readonly isChecked: boolean
  /** What may be untrusted or secret of it, where that was asked for. */
  readonly labels: readonly string[]
  /** Names of the channels folded into it. */
  readonly channels: readonly string[]
}

/** Keeps every path and adds none: a node that joins several wires to several others stays. */
export const fold = (
  { nodes, edges }: Graph,
  labelsOf: (edge: Edge) => readonly string[] = () => [],
): { nodes: GraphNode[]; links: FoldedWire[] } => {
  const ends = new Map(nodes.map((node) => [node, { into: new Set<FoldedWire>(), out: new Set<FoldedWire>() }]))
  const add = (link: FoldedWire) => {
    ends.get(link.to)?.into.add(link)
    ends.get(link.from)?.out.add(link)
  }
  const remove = (link: FoldedWire) => {
    ends.get(link.to)?.into.delete(link)
    ends.get(link.from)?.out.delete(link)
  }
  for (const edge of edges) add({ ...edge, labels: labelsOf(edge), channels: [] })
  const waiting = [...nodes]
  for (const node of waiting) {
    const [into, out] = [[...(ends.get(node)?.into ?? [])], [...(ends.get(node)?.out ?? [])]]
    if (!ends.has(node) || !isFoldable(node, into, out)) continue
    for (const link of [...into, ...out]) remove(link)
    ends.delete(node)
    for (const first of into) for (const second of out) add(joinLinks(first, node, second))
    // Its neighbours may be foldable now.
    waiting.push(...into.map(({ from }) => from), ...out.map(({ to }) => to))
  }
  return { nodes: [...ends.keys()], links: sortLinks([...ends.values()].flatMap(({ out }) => [...out])) }
}

// An end without a wire is a port that is closed or drained.
const isFoldable = (node: GraphNode, into: readonly FoldedWire[], out: readonly FoldedWire[]): boolean => {
  const { work } = node
  if (work.kind !== 'pass' || into.some(({ from }) => from === node)) return false
  if (work.as === 'channel') return into.length === 1 && out.length === 1
  return (work.as === 'inlet' || work.as === 'outlet') && (into.length <= 1 || out.length <= 1)
}

const joinLinks = (first: FoldedWire, { name, work }: GraphNode, second: FoldedWire): FoldedWire => ({
  from: first.from,
  output: first.output,
  to: second.to,
  input: second.input,
  isChecked: first.isChecked || second.isChecked,
  labels: [...new Set([...first.labels, ...second.labels])],
  channels: [...first.channels, ...(work.kind === 'pass' && work.as === 'channel' ? [name] : []), ...second.channels],
})

// In the order of the program.
const sortLinks = (links: readonly FoldedWire[]): FoldedWire[] =>
  [...links].sort((a, b) => a.from.id - b.from.id || a.output - b.output || a.to.id - b.to.id || a.input - b.input)
