// The names of wires and nodes in events and records. Wires are numbered in the order of the program.

import { type Edge, type Graph, type GraphNode, printType } from '@plumb/lang'
import { openedAround, typeOnWire } from '../draw/describe.js'
import type { WireInfo } from './run-event.js'

export const wiresOf = (graph: Graph): Map<Edge, WireInfo> => {
  const { edges } = graph
  const places = placesOf(graph)
  const digits = Math.max(2, String(edges.length).length)
  return new Map(edges.map((edge, i) => [edge, wireOf(edge, i + 1, digits, places)]))
}

type Places = ReadonlyMap<GraphNode, string>

const wireOf = ({ from, output, to, input, isChecked }: Edge, index: number, digits: number, places: Places): WireInfo => {
  const [source, target] = [from.outputs[output], to.inputs[input]]
  const type = typeOnWire(source?.type, target?.type, isChecked)
  const ends = {
    from: places.get(from) ?? '',
    fromPort: source?.name ?? '',
    to: places.get(to) ?? '',
    toPort: target?.name ?? '',
  }
  const name = `${String(index).padStart(digits, '0')}-${inFileName(ends.from)}-${inFileName(ends.to)}`
  return { index, name, ...ends, type: type ? printType(type) : null }
}

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

const inFileName = (place: string): string => place.replace(/[^\w.@]+/g, '_')
