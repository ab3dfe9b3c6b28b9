// How a record names the nodes of a graph.

import type { Graph, GraphNode } from '@plumb/lang'
import { openedAround } from './describe.js'

/**
 * The place of each node: its name after those of the bound chains around it, with a number if that is not unique. The ends of a chain have
 * the name of the chain.
 */
export const placesOf = ({ nodes }: Graph): Map<GraphNode, string> => {
  const times = new Map<string, number>()
  const places = new Map<GraphNode, string>()
  for (const node of nodes) {
    const { name, work } = node
    const around = openedAround(node).map((opened) => opened.name)
    const isEnd = work.kind === 'pass' && (work.as === 'inlet' || work.as === 'outlet')
    const place = (isEnd ? around : [...around, name]).join('.')
    const time = (times.get(place) ?? 0) + 1
    if (!isEnd) times.set(place, time)
    places.set(node, isEnd || time === 1 ? place : `${place}.${time}`)
  }
  return places
}
