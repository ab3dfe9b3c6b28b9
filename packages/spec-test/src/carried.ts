// Records what the wires of a run carried, and the route of a message over them.

import type { Edge, Graph } from '@plumb/lang'
import { lineText, type RunEvent, wiresOf } from '@plumb/runtime/event'
import type { RouteStep } from './report/result.js'

export interface CarriedWire {
  /** Its ends, as in `writer-critic`; a second wire with the same ends has `.2` appended. */
  readonly name: string
  readonly messages: readonly string[]
}

/** Maximum messages of one wire; of an endless loop only the first are kept. */
const MAX_KEPT = 1_000_000

interface Wire {
  readonly name: string
  readonly edge: Edge
  readonly messages: string[]
  /** For each message the input that it stems from, 0: unknown, and its position among all messages of the run. */
  readonly seqs: number[]
  readonly times: number[]
}

export class Carried {
  readonly #byIndex = new Map<number, Wire>()
  #time = 0

  constructor(private readonly graph: Graph) {
    const times = new Map<string, number>()
    for (const [edge, { index, from, to }] of wiresOf(graph)) {
      const ends = `${from}-${to}`
      const time = (times.get(ends) ?? 0) + 1
      times.set(ends, time)
      this.#byIndex.set(index, { name: time === 1 ? ends : `${ends}.${time}`, edge, messages: [], seqs: [], times: [] })
    }
  }

  // `index`: the number of the wire in its events.
  #note(index: number, seq: number, json: string): void {
    const wire = this.#byIndex.get(index)
    if (!wire || wire.messages.length >= MAX_KEPT) return
    wire.messages.push(json)
    wire.seqs.push(seq)
    wire.times.push(this.#time++)
  }

  /** `inputOf`: the input of the whole, of an input of this run. */
  on(event: RunEvent, inputOf = (seq: number): number => seq): void {
    if (event.kind === 'message') this.#note(event.wire.index, event.seq === 0 ? 0 : inputOf(event.seq), lineText(event))
  }

  /** What was carried of these inputs, which are run again. */
  forget(inputs: ReadonlySet<number>): void {
    for (const { messages, seqs, times } of this.#byIndex.values()) {
      let count = 0
      for (const [i, seq] of seqs.entries()) {
        if (inputs.has(seq)) continue
        ;[messages[count], seqs[count], times[count]] = [messages[i] as string, seq, times[i] as number]
        count++
      }
      for (const list of [messages, seqs, times]) list.length = count
    }
  }

  /** In the order of the program. */
  get wires(): readonly CarriedWire[] {
    return [...this.#byIndex.values()]
  }

  /** With the input that each message stems from, and its position among all messages of the run. */
  get timed(): readonly Pick<Wire, 'name' | 'messages' | 'seqs' | 'times'>[] {
    return [...this.#byIndex.values()]
  }

  /** With the types of its ends, and its source. */
  get typed(): readonly { readonly edge: Edge; readonly messages: readonly string[] }[] {
    return [...this.#byIndex.values()]
  }

  /** What the wires carried of these inputs, in the order of the first message; `port`: only wires that lead to this output. */
  route(seqs: readonly number[], port: string | undefined): readonly RouteStep[] {
    const isOfThem = new Set(seqs)
    const leading = port === undefined ? undefined : this.#leadingTo(port)
    const steps = [...this.#byIndex.values()].flatMap(({ name, edge, messages, seqs: all, times }) => {
      // The last wire carries the output itself, and a channel repeats its input.
      const isReported = edge.to.work.kind === 'output' || edge.from.work.kind === 'pass'
      if (leading ? isReported || !leading.has(edge) : edge.from.work.kind === 'pass') return []
      const own = all.flatMap((seq, i) => (isOfThem.has(seq) ? [i] : []))
      const [first] = own
      return first === undefined
        ? []
        : [
            {
              ...stepOf(
                name,
                own.map((i) => messages[i] as string),
              ),
              time: times[first] as number,
            },
          ]
    })
    return steps.sort((a, b) => a.time - b.time).map(({ time: _, ...step }) => step)
  }

  /** The wires that carried something last, the very last at the end. */
  last(count: number): readonly RouteStep[] {
    return [...this.#byIndex.values()]
      .filter(({ messages }) => messages.length > 0)
      .sort((a, b) => (a.times.at(-1) as number) - (b.times.at(-1) as number))
      .slice(-count)
      .map(({ name, messages }) => stepOf(name, messages))
  }

  #leadingTo(port: string): ReadonlySet<Edge> {
    const found = new Set<Edge>()
    const nodes = new Set(this.graph.nodes.filter(({ name, work }) => work.kind === 'output' && name === port))
    // A set iterates over members that are added meanwhile.
    for (const node of nodes)
      for (const edge of this.graph.edges) {
        if (edge.to !== node) continue
        found.add(edge)
        nodes.add(edge.from)
      }
    return found
  }
}

const stepOf = (wire: string, messages: readonly string[]): RouteStep => ({
  wire,
  count: messages.length,
  messages: messages.length > 3 ? [...messages.slice(0, 2), ...messages.slice(-1)] : messages,
})

/** The record of a run that could not begin. */
export const NOTHING_CARRIED = new Carried({ nodes: [], edges: [] })
