// The names of wires and nodes in events and records. Wires are numbered in the order of the program.

import { type Edge, type Graph, type GraphNode, printType } from '@plumb/lang'
import { typeOnWire } from '../draw/describe.js'
import { placesOf } from '../draw/places.js'
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

const inFileName = (place: string): string => place.replace(/[^\w.@]+/g, '_')

export { placesOf }
