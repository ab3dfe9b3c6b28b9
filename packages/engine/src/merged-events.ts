// Merges the events of all processes of a run by workers into those of one process. Places and wires are renumbered for the whole graph,
// and so are the messages of an agent that ran in several processes.

import type { Graph } from '@plumb/lang'
import { partOf, partsOf } from '@plumb/lang/parts'
import { type LoggedEvent, placesOf, type RunEvent, type WireInfo, wiresOf } from '@plumb/runtime/event'

interface PartNames {
  /** From a place in the part to the place in the graph. */
  readonly places: ReadonlyMap<string, string>
  /** From a wire in the part to wires of the graph; one output of a part may feed several outputs of the graph. */
  readonly wires: ReadonlyMap<number, readonly WireInfo[]>
}

/** A message between two parts is counted at the part that receives it. */
const namesOfParts = (graph: Graph): ReadonlyMap<number, PartNames> => {
  const [places, wires] = [placesOf(graph), wiresOf(graph)]
  return new Map(
    partsOf(graph).map((part): [number, PartNames] => {
      const alone = partOf(graph, part)
      const inside = placesOf(alone)
      const within = new Set(part.nodes)
      const behind = part.outputs.map(({ node, output }) =>
        graph.edges.filter(({ from, output: one, to }) => from === node && one === output && to.work.kind === 'output'),
      )
      // The order of partOf.
      const ofWires = [...graph.edges.filter(({ to }) => within.has(to)).map((edge) => [edge]), ...behind]
      return [
        part.id,
        {
          places: new Map(part.nodes.map((node) => [inside.get(node) ?? '', places.get(node) ?? ''])),
          wires: new Map(ofWires.map((edges, i) => [i + 1, edges.flatMap((edge) => wires.get(edge) ?? [])])),
        },
      ]
    }),
  )
}

/** By the numbers of parts: from a place in the part to the place in the graph. */
export const placesInParts = (graph: Graph): ReadonlyMap<number, ReadonlyMap<string, string>> =>
  new Map([...namesOfParts(graph)].map(([part, { places }]) => [part, places]))

export class MergedEvents {
  readonly #names: ReadonlyMap<number, PartNames>
  readonly #spawned = new Set<string>()
  /** Keyed by place, process and number in the process. */
  readonly #numbers = new Map<string, number>()
  readonly #counts = new Map<string, number>()

  constructor(graph: Graph) {
    this.#names = namesOfParts(graph)
  }

  /** `process`: which of the processes of the part. */
  eventsOf(part: number, process: string, logged: LoggedEvent, ms: number): readonly RunEvent[] {
    const names = this.#names.get(part)
    if (!names) return []
    const { at: _, text = '', wire: index, ...event } = logged as LoggedEvent & { process?: string; text?: string; wire?: number }
    const place = event.process === undefined ? undefined : (names.places.get(event.process) ?? event.process)
    const named = place === undefined ? event : { ...event, process: place }
    const buf = Buffer.from(text)
    const bytes = { buf, start: 0, end: buf.length }
    switch (event.kind) {
      case 'message':
        return (names.wires.get(index ?? 0) ?? []).map((wire) => ({ ...named, ...bytes, wire, ms }) as RunEvent)
      case 'spawned':
        if (this.#spawned.has(place ?? '')) return []
        this.#spawned.add(place ?? '')
        return [{ ...named, ms } as RunEvent]
      case 'asked':
      case 'answered':
      case 'refused': {
        const n = this.#numberOf(`${place}`, process, event.n, event.kind === 'asked')
        return [{ ...named, ...(event.kind === 'refused' ? {} : bytes), n, ms } as RunEvent]
      }
      case 'telemetry': {
        const { telemetry } = event
        if (typeof telemetry.seq !== 'number') return [{ ...named, ms } as RunEvent]
        return [{ ...named, telemetry: { ...telemetry, seq: this.#numberOf(`${place}`, process, telemetry.seq, false) }, ms } as RunEvent]
      }
      default:
        return [{ ...named, ms } as RunEvent]
    }
  }

  /** 0: the message is unknown. */
  #numberOf(place: string, process: string, n: number, isNew: boolean): number {
    const key = `${n} ${process} ${place}`
    if (isNew) {
      const next = (this.#counts.get(place) ?? 0) + 1
      this.#counts.set(place, next)
      this.#numbers.set(key, next)
      if (this.#numbers.size > MAX_NUMBERS) this.#numbers.delete(this.#numbers.keys().next().value as string)
    }
    return this.#numbers.get(key) ?? 0
  }
}

const MAX_NUMBERS = 65_536
