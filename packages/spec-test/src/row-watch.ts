// What a run does for each of its inputs: how long processes worked on it, what it asked of models, and whether one takes too long. The
// time in which an input waits for others is not counted.

import { agentOf, type Graph } from '@plumb/lang'
import { placesOf, type RunEvent } from '@plumb/runtime/event'
import { nowMs } from '@plumb/wire'
import type { Usage } from './spending.js'

/** Where events come from: the subject of a test, or a plumb in it. */
export interface WatchedGraph {
  /** Begins the names of its processes. */
  readonly prefix: string
  /** The input of the whole test that an input of this graph stems from; 0: unknown, or several. */
  readonly inputOf: (seq: number) => number
  readonly concurrency: ReadonlyMap<string, number>
}

export const watchedGraph = (graph: Graph, prefix: string, inputOf: WatchedGraph['inputOf']): WatchedGraph => {
  const concurrency = new Map<string, number>()
  for (const [{ work }, place] of placesOf(graph)) {
    if (work.kind !== 'agent') continue
    const { answers, concurrency: most = 1 } = agentOf(work.bound).config
    // Nobody knows which messages a program has in hand that answers some.
    concurrency.set(place, answers === 'some' ? 0 : Number(most))
  }
  return { prefix, inputOf, concurrency }
}

/** What one input took. */
export interface InputWork {
  /** Of the processes, one after the other. */
  ms: number
  readonly usages: Usage[]
}

/** A message that a process has in hand. */
interface Turn {
  readonly input: number
  /** When the process could begin with it. Undefined: others are before it. */
  sinceMs: number | undefined
  /** A model has answered: it may wait only for the answers before it. */
  isAnswered: boolean
  isCounted: boolean
}

interface Lane {
  readonly concurrency: number
  isPlumb: boolean
  isNumbered: boolean
  /** The input of each message that it was sent, by the number of the message. */
  readonly inputs: Map<number, number>
  /** In the order in which they were sent. */
  readonly inHand: Map<number, Turn>
}

/** What servers and sandboxes may take to start, before the first input. */
const START_MS = 60_000

export class RowWatch {
  readonly work = new Map<number, InputWork>()
  readonly #lanes = new Map<string, Lane>()
  readonly #settled = new Set<number>()
  readonly #inputs: readonly number[]
  #lastMs = nowMs()
  #hasBegun = false
  #lastInput = 0

  constructor(inputs: readonly number[]) {
    this.#inputs = inputs
  }

  isSettled(input: number): boolean {
    return this.#settled.has(input)
  }

  /** Nothing more can come of the input. */
  settle(input: number): void {
    this.#settled.add(input)
    this.#lastMs = nowMs()
  }

  on(event: RunEvent, graph: WatchedGraph): void {
    if (!this.#hasBegun && event.kind === 'input') {
      this.#hasBegun = true
      this.#lastMs = nowMs()
    }
    switch (event.kind) {
      case 'spawned':
        this.#lane(event.process, graph).isPlumb = event.runs === 'plumb'
        this.#lane(event.process, graph).isNumbered = event.isNumbered === true
        return
      case 'asked':
        return this.#asked(this.#lane(event.process, graph), event.n, graph.inputOf(event.seq))
      case 'answered':
        if (!this.#lane(event.process, graph).isNumbered) this.#end(this.#lane(event.process, graph), event.n)
        return
      case 'refused':
      case 'whole':
        return this.#end(this.#lane(event.process, graph), event.n)
      case 'telemetry':
        return this.#told(this.#lane(event.process, graph), event.telemetry)
      case 'message':
        this.#lastInput = graph.inputOf(event.seq)
        return
      default:
    }
  }

  /** The input of the n-th message that a process was sent. */
  inputAt(process: string, graph: WatchedGraph, n: number): number {
    return this.#lane(process, graph).inputs.get(n) ?? 0
  }

  /** The inputs that have been worked on for so long. */
  late(timeoutMs: number): readonly number[] {
    const now = nowMs()
    const late = new Set<number>()
    let isWorking = false
    for (const lane of this.#lanes.values()) {
      for (const [i, { input, sinceMs = now, isAnswered }] of this.#begun(lane).entries()) {
        isWorking = true
        if (now - sinceMs >= timeoutMs && (i === 0 || !isAnswered)) late.add(input)
      }
    }
    // No process has anything in hand: what was moved last goes in circles, or a call does not come back.
    const stillMs = this.#hasBegun ? timeoutMs : Math.max(timeoutMs, START_MS)
    if (!isWorking && now - this.#lastMs >= stillMs) late.add(this.#isLeft(this.#lastInput) ? this.#lastInput : 0)
    if (!late.has(0)) return [...late]
    // Of many inputs, or of none that is known.
    return this.#inputs.filter((input) => this.#isLeft(input))
  }

  #isLeft(input: number): boolean {
    return input > 0 && !this.#settled.has(input)
  }

  #lane(process: string, { prefix, concurrency }: WatchedGraph): Lane {
    const key = `${prefix}${process}`
    const known = this.#lanes.get(key)
    if (known) return known
    const lane = { concurrency: concurrency.get(process) ?? 1, isPlumb: false, isNumbered: false, inputs: new Map(), inHand: new Map() }
    this.#lanes.set(key, lane)
    return lane
  }

  #asked(lane: Lane, n: number, input: number): void {
    lane.inputs.set(n, input)
    // The processes in a plumb are watched themselves.
    if (!lane.isPlumb) lane.inHand.set(n, { input, sinceMs: undefined, isAnswered: false, isCounted: false })
    this.#begun(lane)
  }

  #begun(lane: Lane): readonly Turn[] {
    const begun: Turn[] = []
    for (const [n, turn] of lane.inHand) {
      if (begun.length === lane.concurrency) break
      if (this.#settled.has(turn.input)) lane.inHand.delete(n)
      else {
        turn.sinceMs ??= nowMs()
        begun.push(turn)
      }
    }
    return begun
  }

  #end(lane: Lane, n: number): void {
    const turn = lane.inHand.get(n)
    if (!turn) return
    lane.inHand.delete(n)
    this.#lastMs = nowMs()
    if (!turn.isCounted && turn.sinceMs !== undefined) this.#workOf(turn.input).ms += this.#lastMs - turn.sinceMs
    this.#begun(lane)
  }

  #told(lane: Lane, telemetry: Extract<RunEvent, { kind: 'telemetry' }>['telemetry']): void {
    const n = telemetry.seq ?? 0
    const turn = lane.inHand.get(n)
    if (telemetry.kind === 'usage') {
      this.#workOf(lane.inputs.get(n) ?? 0).usages.push(telemetry)
      if (turn) turn.isAnswered = true
    } else if ((telemetry.kind === 'output' || telemetry.kind === 'error') && turn && telemetry.ms !== undefined) {
      // Without its waiting for the answers before it.
      this.#workOf(turn.input).ms += telemetry.ms
      turn.isCounted = true
    }
  }

  #workOf(input: number): InputWork {
    const known = this.work.get(input)
    if (known) return known
    const work = { ms: 0, usages: [] }
    this.work.set(input, work)
    return work
  }
}
