// Keeps the tally of a run: what `--progress` and `--summary` show.

import type { WatchEvent, Watcher, WatchNode } from '../event/run-event.js'
import { History } from './span-builder.js'
import { addUse, emptyStage, type StageTally, type Tally } from './stats.js'

/** What only joins wires is no stage, nor are the ends of the run. */
const isStage = ({ kind }: WatchNode): boolean => !/^(input|output|channel|inlet|outlet|copy|merge|id|empty)$/.test(kind)

export class Counter implements Watcher {
  readonly tally: Tally = { taken: 0, given: 0, errors: new Map(), stages: [] }
  /** Of all inputs as far as they were read, with line ends. */
  bytesRead = 0
  readonly #stages = new Map<string, StageTally>()
  /** Told of themselves what they take and give, so that wires say nothing new. */
  readonly #children = new Set<string>()
  readonly #open = new Set<string>()
  /** The first wire of each port, by its index: a message that goes along several is one. */
  readonly #counted = new Set<number>()
  readonly #outputs = new Set<string>()
  #inFlight = 0
  readonly #history = new History({
    modelCall: ({ process, agent, model, tokens }) => {
      const name = this.#open.has(process) ? `${process}.${agent}` : process
      this.#at(process, ({ uses }) => addUse(uses, name, model, tokens))
    },
    toolCall: ({ process, envelope }) => {
      const stage = this.#stages.get(process)
      if (!stage || (envelope && envelope.depth > 0)) return
      stage.toolCalls++
      stage.retries += Math.max(0, (envelope?.attempts ?? 1) - 1)
    },
  })

  /** Messages that agents were sent and have not answered. */
  get inFlight(): number {
    return Math.max(0, this.#inFlight)
  }

  on(event: WatchEvent): void {
    this.#history.on(event)
    switch (event.kind) {
      case 'begin':
        this.#begin(event)
        break
      case 'input':
        this.tally.taken++
        this.bytesRead += event.bytes
        break
      case 'spawned':
        this.#children.add(event.process)
        // How many answers a nested plumb will give nobody knows.
        if (event.runs === 'plumb') this.#open.add(event.process)
        break
      case 'message':
        this.#message(event)
        break
      case 'asked':
        if (!this.#open.has(event.process)) this.#inFlight++
        this.#took(event.process, event.ms)
        break
      case 'replayed':
        this.#took(event.process, event.ms)
        this.#at(event.process, (stage) => stage.replayed++)
        if (event.isAnswer) this.#gave(event.process)
        break
      case 'answered':
        if (!this.#open.has(event.process)) this.#inFlight--
        this.#gave(event.process)
        break
      case 'refused':
        if (!this.#open.has(event.process)) this.#inFlight--
        break
      case 'telemetry':
        if (event.telemetry.kind === 'retry') this.#at(event.process, (stage) => stage.retries++)
        break
      case 'fault':
        this.tally.errors.set(event.fault.error, (this.tally.errors.get(event.fault.error) ?? 0) + 1)
        for (const place of new Set([event.fault.process, event.fault.source]))
          if (typeof place === 'string') this.#at(place, (stage) => stage.errors++)
        break
      default:
    }
  }

  #begin({ nodes, wires }: WatchEvent & { kind: 'begin' }): void {
    for (const node of nodes) {
      if (node.kind === 'output') this.#outputs.add(node.name)
      if (isStage(node) && !this.#stages.has(node.name)) this.#stages.set(node.name, emptyStage(node.name))
    }
    this.tally.stages.push(...this.#stages.values())
    const ports = new Set<string>()
    for (const wire of wires) {
      const port = JSON.stringify([wire.from, wire.fromPort])
      if (!ports.has(port)) this.#counted.add(wire.index)
      ports.add(port)
    }
  }

  #message({ wire, ms }: WatchEvent & { kind: 'message' }): void {
    if (this.#outputs.has(wire.to)) this.tally.given++
    if (!this.#children.has(wire.to)) this.#took(wire.to, ms)
    if (!this.#children.has(wire.from) && this.#counted.has(wire.index)) this.#gave(wire.from)
  }

  #took(process: string, ms: number): void {
    this.#at(process, (stage) => {
      stage.taken++
      stage.since ??= ms
    })
  }

  #gave(process: string): void {
    this.#at(process, (stage) => stage.given++)
  }

  #at(process: string, change: (stage: StageTally) => void): void {
    const stage = this.#stages.get(process)
    if (stage) change(stage)
  }
}
