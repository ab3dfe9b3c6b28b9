// The events of the processes of a run by workers, as those of one process: places and wires are those of the whole graph, and the messages of
// an agent that several processes have had are numbered anew.

import type { Graph } from '@plumb/lang'
import { partOf, partsOf } from '@plumb/lang/parts'
import type { LoggedEvent } from '../event/event-log.js'
import type { RunEvent, WireInfo } from '../event/run-event.js'
import { placesOf, wiresOf } from '../event/wires.js'

interface PartNames {
  /** By the places in the part. */
  readonly places: ReadonlyMap<string, string>
  /** By their numbers in the part; an output of it may be read by several outputs of the whole. */
  readonly wires: ReadonlyMap<number, readonly WireInfo[]>
}

/** What goes from one part to another counts where it comes in. */
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
      // As partOf lists them.
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

export class MergedEvents {
  readonly #names: ReadonlyMap<number, PartNames>
  readonly #spawned = new Set<string>()
  /** By place, process and number there. */
  readonly #numbers = new Map<string, number>()
  readonly #counts = new Map<string, number>()

  constructor(graph: Graph) {
    this.#names = namesOfParts(graph)
  }

  /** `process`: of the part, among all that have had it. */
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

  /** 0: it is not known which message that is. */
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
