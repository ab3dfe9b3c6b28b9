// The cycles of a graph: its strongly connected parts with an edge inside (Tarjan's algorithm, without recursion).

import { type Graph, type GraphNode, nodesBehind } from './graph.js'

/** Each cycle as the nodes in it, in the order of the program. */
export const cyclesOf = ({ nodes, edges }: Graph): GraphNode[][] => {
  const next = new Map<number, number[]>(nodes.map((n) => [n.id, []]))
  for (const { from, to } of edges) next.get(from.id)?.push(to.id)
  for (const { id, work } of nodes) if (work.kind === 'failures') for (const from of nodesBehind(work, nodes)) next.get(from.id)?.push(id)
  const parts = components(
    nodes.map((n) => n.id),
    (id) => next.get(id) ?? [],
  )
  const isCycle = (part: readonly number[]) => part.length > 1 || part.some((id) => next.get(id)?.includes(id))
  const byId = new Map(nodes.map((n) => [n.id, n]))
  return parts.filter(isCycle).map((part) => part.sort((a, b) => a - b).map((id) => byId.get(id) as GraphNode))
}

const components = (ids: readonly number[], next: (id: number) => readonly number[]): number[][] => {
  const index = new Map<number, number>()
  const low = new Map<number, number>()
  const onStack = new Set<number>()
  const stack: number[] = []
  const parts: number[][] = []
  const enter = (id: number) => {
    index.set(id, index.size)
    low.set(id, index.get(id) as number)
    stack.push(id)
    onStack.add(id)
    return { id, rest: [...next(id)] }
  }
  const lower = (id: number, to: number | undefined) => low.set(id, Math.min(low.get(id) as number, to as number))
  for (const root of ids) {
    if (index.has(root)) continue
    const calls = [enter(root)]
    for (let call = calls.at(-1); call; call = calls.at(-1)) {
      const to = call.rest.pop()
      if (to === undefined) {
        calls.pop()
        const caller = calls.at(-1)
        if (caller) lower(caller.id, low.get(call.id))
        if (low.get(call.id) === index.get(call.id)) parts.push(popPart(call.id, stack, onStack))
      } else if (!index.has(to)) calls.push(enter(to))
      else if (onStack.has(to)) lower(call.id, index.get(to))
    }
  }
  return parts
}

const popPart = (root: number, stack: number[], onStack: Set<number>): number[] => {
  const part = stack.splice(stack.lastIndexOf(root))
  for (const id of part) onStack.delete(id)
  return part
}
