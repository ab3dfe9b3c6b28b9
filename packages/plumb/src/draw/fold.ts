// Takes out of a graph what only joins wires: the ends of laid-open chains, and channels that lead from one place to one other.

import type { Graph, GraphNode } from '@plumb/lang'

/** A wire from one port to another, through what was folded into it. */
export interface Link {
  readonly from: GraphNode
  readonly output: number
  readonly to: GraphNode
  readonly input: number
  readonly isChecked: boolean
  readonly through: readonly GraphNode[]
}

/** No path is lost, and none is made: what joins several wires to several others stays. */
export const fold = ({ nodes, edges }: Graph): { nodes: GraphNode[]; links: Link[] } => {
  let links: Link[] = edges.map((edge) => ({ ...edge, through: [] }))
  let kept = nodes
  for (let before = -1; before !== kept.length; ) {
    before = kept.length
    kept = kept.filter((node) => {
      const into = links.filter((link) => link.to === node)
      const out = links.filter((link) => link.from === node)
      if (!isFoldable(node, into, out)) return true
      const others = links.filter((link) => link.to !== node && link.from !== node)
      links = [...others, ...into.flatMap((first) => out.map((second) => joined(first, node, second)))]
      return false
    })
  }
  return { nodes: kept, links: inOrder(links) }
}

// An end that nothing comes to or goes from is a port that is closed or drained.
const isFoldable = ({ work }: GraphNode, into: readonly Link[], out: readonly Link[]): boolean => {
  if (work.kind !== 'pass' || into.some((link) => out.includes(link))) return false
  if (work.as === 'channel') return into.length === 1 && out.length === 1
  return (work.as === 'inlet' || work.as === 'outlet') && (into.length <= 1 || out.length <= 1)
}

const joined = (first: Link, node: GraphNode, second: Link): Link => ({
  from: first.from,
  output: first.output,
  to: second.to,
  input: second.input,
  isChecked: first.isChecked || second.isChecked,
  through: [...first.through, node, ...second.through],
})

// As the program has it, however much was folded.
const inOrder = (links: readonly Link[]): Link[] =>
  [...links].sort((a, b) => a.from.id - b.from.id || a.output - b.output || a.to.id - b.to.id || a.input - b.input)
