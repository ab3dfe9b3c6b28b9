// Hides the secret parts of a run's messages, and all words of processes that have read one. See plumb-flows(7), Secrets at run time.

import type { Bound, Graph, Program } from '@plumb/lang'
import { flowsOfWires, HIDDEN, hiderOf } from '@plumb/lang/flow'
import { effectsOf } from '@plumb/policy'
import type { Fault } from '@plumb/wire'
import { openedAround } from '../draw/describe.js'
import type { RunEmitter } from './emitter.js'
import { lineText, type UntimedEvent } from './run-event.js'
import { placesOf, wiresOf } from './wires.js'

export interface Secrets {
  /** Places of processes that have read a secret. */
  readonly places: readonly string[]
  isIn(place: string): boolean
  /** Without its words, if they may contain a secret. */
  fault(fault: Fault): Fault
  telemetry(telemetry: object): object
  emitter(emitter: RunEmitter): RunEmitter
}

/** Undefined: this binding has no secrets. */
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

/** Keys whose values are shown: a process does not derive them from its messages. */
const SHOWN = new Set([
  'kind',
  'agent',
  'process',
  'source',
  'port',
  'provider',
  'model',
  'time',
  'started',
  'id',
  'name',
  'tool',
  'parent',
])
const SHOWN_OF_FAULTS = new Set([...SHOWN, 'error', 'category', 'seqs', 'limit', 'server'])
const SHOWN_OF_TELEMETRY = new Set([...SHOWN, 'error', 'category', 'outcome', 'status', 'lane', 'kept', 'price_as', 'finish'])

// Numbers and booleans are shown as well: how long, how many, which.
const withoutWords = (record: object, shown: ReadonlySet<string>): object =>
  Object.fromEntries(
    Object.entries(record).map(([key, value]) => {
      const isShown = shown.has(key) || typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined
      return [key, isShown ? value : Array.isArray(value) ? [] : HIDDEN]
    }),
  )

class KnownSecrets implements Secrets {
  constructor(
    private readonly wires: ReadonlyMap<number, ((json: string) => string) | undefined>,
    readonly places: readonly string[],
    /** The same for errors, which may come from several processes. */
    private readonly names: ReadonlySet<string>,
  ) {}

  isIn(place: string): boolean {
    return this.places.includes(place)
  }

  fault(fault: Fault): Fault {
    const by = [fault.source, fault.process, fault.agent, fault.process === undefined ? fault.port : undefined]
    const isHidden = fault.category !== 'config' && by.some((name) => typeof name === 'string' && this.names.has(name))
    return isHidden ? (withoutWords(fault, SHOWN_OF_FAULTS) as Fault) : fault
  }

  telemetry(telemetry: object): object {
    return withoutWords(telemetry, SHOWN_OF_TELEMETRY)
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
        return { ...event, fault: withoutWords(event.fault, SHOWN_OF_FAULTS) as Fault }
      case 'telemetry':
        return { ...event, telemetry: this.telemetry(event.telemetry) as typeof event.telemetry }
      case 'called': {
        const { input: _, result, ...rest } = event
        const error = result.ok ? undefined : (withoutWords(result.error, SHOWN_OF_FAULTS) as Fault)
        return { ...rest, input: WHOLE.toString(), result: error ? { ok: false, error } : { ok: true, value: WHOLE.toString() } }
      }
      case 'call': {
        const call = withoutWords(event.call, SHOWN) as typeof event.call
        return { ...event, call }
      }
      default:
        return event
    }
  }
}

const lineOf = (buf: Buffer) => ({ buf, start: 0, end: buf.length })
