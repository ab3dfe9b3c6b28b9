// What is not shown of a run: the secret parts of its messages, and all words of processes that have had one.
// See plumb-flows(7), Secrets at run time.

import type { Bound, Graph, Program } from '@plumb/lang'
import { flowsOfWires, HIDDEN, hiderOf } from '@plumb/lang/flow'
import { effectsOf } from '@plumb/policy'
import type { Fault } from '@plumb/wire'
import { openedAround } from '../draw/describe.js'
import type { RunEmitter } from './emitter.js'
import { lineText, type UntimedEvent } from './run-event.js'
import { placesOf, wiresOf } from './wires.js'

export interface Secrets {
  /** Of the processes that have had a secret at hand. */
  readonly places: readonly string[]
  isIn(place: string): boolean
  /** Without its words, where they may hold one. */
  fault(fault: Fault): Fault
  telemetry(telemetry: object): object
  emitter(emitter: RunEmitter): RunEmitter
}

/** Undefined: there are none in this binding. */
export const secretsOf = (program: Program, bound: Bound, graph: Graph): Secrets | undefined => {
  const flows = flowsOfWires(program, bound, graph, effectsOf)
  const wires = new Map([...wiresOf(graph)].map(([edge, { index }]) => [index, hiderOf(flows.shapeOn(edge))]))
  const places = new Set<string>()
  const names = new Set<string>()
  for (const [node, place] of placesOf(graph)) {
    if (!flows.hasSecret(node)) continue
    places.add(place)
    const { work } = node
    const called = 'bound' in work ? [work.bound.name] : []
    for (const name of [place, node.name, ...called, ...openedAround(node).map(({ name }) => name)]) names.add(name)
  }
  return places.size === 0 ? undefined : new KnownSecrets(wires, [...places], names)
}

const WHOLE = Buffer.from(JSON.stringify(HIDDEN))

/** Of what is told of a process, what it has not made of its messages. */
const TOLD = new Set(['kind', 'agent', 'process', 'source', 'port', 'provider', 'model', 'time', 'started', 'id', 'name', 'tool', 'parent'])
const TOLD_OF_FAULTS = new Set([...TOLD, 'error', 'category', 'seqs', 'limit', 'server'])
const TOLD_OF_TELEMETRY = new Set([...TOLD, 'error', 'category', 'outcome', 'status', 'lane', 'kept'])

// Numbers and yes or no are told as well: how long, how many, which.
const withoutWords = (record: object, told: ReadonlySet<string>): object =>
  Object.fromEntries(
    Object.entries(record).map(([key, value]) => {
      const isTold = told.has(key) || typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined
      return [key, isTold ? value : Array.isArray(value) ? [] : HIDDEN]
    }),
  )

class KnownSecrets implements Secrets {
  constructor(
    private readonly wires: ReadonlyMap<number, ((json: string) => string) | undefined>,
    readonly places: readonly string[],
    /** Those that errors have, which may be those of several processes. */
    private readonly names: ReadonlySet<string>,
  ) {}

  isIn(place: string): boolean {
    return this.places.includes(place)
  }

  fault(fault: Fault): Fault {
    const by = [fault.source, fault.process, fault.agent, fault.process === undefined ? fault.port : undefined]
    const isHidden = fault.category !== 'config' && by.some((name) => typeof name === 'string' && this.names.has(name))
    return isHidden ? (withoutWords(fault, TOLD_OF_FAULTS) as Fault) : fault
  }

  telemetry(telemetry: object): object {
    return withoutWords(telemetry, TOLD_OF_TELEMETRY)
  }

  emitter({ emit, finish }: RunEmitter): RunEmitter {
    return { emit: (event) => emit(this.#event(event)), finish }
  }

  #event(event: UntimedEvent): UntimedEvent {
    switch (event.kind) {
      case 'message': {
        const hide = this.wires.get(event.wire.index)
        return hide ? { ...event, ...lineOf(Buffer.from(hide(lineText(event)))) } : event
      }
      case 'fault':
        return { ...event, fault: this.fault(event.fault) }
      default:
        return 'process' in event && this.isIn(event.process) ? this.#ofProcess(event) : event
    }
  }

  #ofProcess(event: UntimedEvent): UntimedEvent {
    switch (event.kind) {
      case 'asked':
      case 'answered':
        return { ...event, ...lineOf(WHOLE) }
      case 'refused':
        return { ...event, fault: withoutWords(event.fault, TOLD_OF_FAULTS) as Fault }
      case 'telemetry':
        return { ...event, telemetry: this.telemetry(event.telemetry) as typeof event.telemetry }
      case 'called': {
        const { input: _, result, ...rest } = event
        const error = result.ok ? undefined : (withoutWords(result.error, TOLD_OF_FAULTS) as Fault)
        return { ...rest, input: WHOLE.toString(), result: error ? { ok: false, error } : { ok: true, value: WHOLE.toString() } }
      }
      case 'call': {
        const call = withoutWords(event.call, TOLD) as typeof event.call
        return { ...event, call }
      }
      default:
        return event
    }
  }
}

const lineOf = (buf: Buffer) => ({ buf, start: 0, end: buf.length })
