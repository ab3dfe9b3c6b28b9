// Counts the statistics of a run that --progress and --summary show.

import { GrowingAnswers } from '../event/growing.js'
import type { AgentTelemetry, NodeInfo, RunEvent, RunListener } from '../event/run-event.js'
import { type ModelCallSpan, SpanBuilder } from './span-builder.js'
import { countUsage, emptyStageStats, type RunStats, type StageStats } from './stats.js'

/** Of a request, in nanodollars; undefined: it has no price. */
export type CostOf = (call: Pick<ModelCallSpan, 'provider' | 'model' | 'priceAs' | 'tokens' | 'cost' | 'lane'>) => number | undefined

/** Nodes that only join wires are not stages, nor are the ends of the run. */
const isStage = ({ kind }: NodeInfo): boolean =>
  !/^(input|output|channel|inlet|outlet|copy|merge|id|empty|choice|select|each|gather|failures)$/.test(kind)

const MAX_BATCHES = 1_000

export class StatsCounter implements RunListener {
  readonly #growing = new GrowingAnswers()
  readonly stats: RunStats = {
    growing: () => this.#growing.all,
    inputs: 0,
    outputs: 0,
    errors: new Map(),
    handled: 0,
    batches: new Map(),
    stages: [],
  }
  /** Of all inputs as far as they were read, with line ends. */
  bytesRead = 0
  readonly #stages = new Map<string, StageStats>()
  /** Processes with `asked` and `answered` events of their own, so that messages on their wires are not counted again. */
  readonly #children = new Set<string>()
  readonly #nested = new Set<string>()
  /** The first wire of each port, by its index: a message that goes along several is one. */
  readonly #counted = new Set<number>()
  readonly #outputs = new Set<string>()
  readonly #costOf: CostOf
  #inFlight = 0
  readonly #spans = new SpanBuilder({
    modelCall: ({ process, agent, model, tokens, ...call }) => {
      const name = this.#nested.has(process) ? `${process}.${agent}` : process
      this.#at(process, ({ usages }) => countUsage(usages, name, model, tokens, this.#costOf({ ...call, model, tokens })))
    },
    toolCall: ({ process, envelope, isError }) => {
      const stage = this.#stages.get(process)
      if (!stage || (envelope && envelope.depth > 0)) return
      stage.toolCalls++
      if (isError) stage.failedCalls++
      stage.retries += Math.max(0, (envelope?.attempts ?? 1) - 1)
    },
  })

  /** Without `costOf` no request has a price. */
  constructor(costOf: CostOf = () => undefined) {
    this.#costOf = costOf
  }

  /** Messages that agents have not answered yet. */
  get inFlight(): number {
    return Math.max(0, this.#inFlight)
  }

  on(event: RunEvent): void {
    this.#spans.on(event)
    this.#growing.on(event)
    switch (event.kind) {
      case 'begin':
        this.#begin(event)
        break
      case 'input':
        this.stats.inputs++
        this.bytesRead += event.bytes
        break
      case 'spawned':
        this.#children.add(event.process)
        // How many answers a nested plumb will give is unknown.
        if (event.runs === 'plumb') this.#nested.add(event.process)
        break
      case 'message':
        this.#message(event)
        break
      case 'asked':
        if (!this.#nested.has(event.process)) this.#inFlight++
        this.#received(event.process, event.ms)
        break
      case 'replayed':
        this.#received(event.process, event.ms)
        this.#at(event.process, (stage) => stage.fromRecord++)
        if (event.isAnswer) this.#sent(event.process)
        break
      case 'answered':
        if (!this.#nested.has(event.process)) this.#inFlight--
        this.#sent(event.process)
        break
      case 'refused':
        if (!this.#nested.has(event.process)) this.#inFlight--
        break
      case 'telemetry':
        if (event.telemetry.kind === 'retry') this.#at(event.process, (stage) => stage.retries++)
        else if (event.telemetry.kind === 'batch') this.#batch(event.process, event.telemetry)
        else if (event.telemetry.kind === 'usage' && event.telemetry.kept !== undefined)
          this.#at(event.process, (stage) => stage.fromRecord++)
        break
      case 'fault':
        if (event.isHandled) {
          this.stats.handled++
          break
        }
        this.stats.errors.set(event.fault.error, (this.stats.errors.get(event.fault.error) ?? 0) + 1)
        for (const place of new Set([event.fault.process, event.fault.source]))
          if (typeof place === 'string') this.#at(place, (stage) => stage.errors++)
        break
      default:
    }
  }

  #begin({ nodes, wires }: RunEvent & { kind: 'begin' }): void {
    for (const node of nodes) {
      if (node.kind === 'output') this.#outputs.add(node.name)
      if (isStage(node) && !this.#stages.has(node.name)) this.#stages.set(node.name, emptyStageStats(node.name))
    }
    this.stats.stages.push(...this.#stages.values())
    const ports = new Set<string>()
    for (const wire of wires) {
      const port = JSON.stringify([wire.from, wire.fromPort])
      if (!ports.has(port)) this.#counted.add(wire.index)
      ports.add(port)
    }
  }

  #message({ wire, ms }: RunEvent & { kind: 'message' }): void {
    if (this.#outputs.has(wire.to)) this.stats.outputs++
    if (!this.#children.has(wire.to)) this.#received(wire.to, ms)
    if (!this.#children.has(wire.from) && this.#counted.has(wire.index)) this.#sent(wire.from)
  }

  // What a program of others says may be anything.
  #batch(process: string, { id, requests, done, over }: AgentTelemetry & { kind: 'batch' }): void {
    const { batches } = this.stats
    const key = `${process} ${id}`
    if (over || !Number.isSafeInteger(requests) || !Number.isSafeInteger(done)) batches.delete(key)
    else if (batches.has(key) || batches.size < MAX_BATCHES) batches.set(key, { requests, done })
  }

  #received(process: string, ms: number): void {
    this.#at(process, (stage) => {
      stage.inputs++
      stage.firstInputMs ??= ms
    })
  }

  #sent(process: string): void {
    this.#at(process, (stage) => stage.outputs++)
  }

  #at(process: string, change: (stage: StageStats) => void): void {
    const stage = this.#stages.get(process)
    if (stage) change(stage)
  }
}
