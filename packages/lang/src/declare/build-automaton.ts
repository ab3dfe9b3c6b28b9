// Steps → states. A state is the step that comes next: `loop` and the name of a protocol are not states of their own: each stands for the state that it leads to.

import type { ProtocolEdge, ProtocolState } from '@plumb/wire/protocol'
import { error, type Report } from '../diagnostic/diagnostic.js'
import { findProtocol, type Protocol } from '../names/names.js'
import type { CallStep, EndStep, MessageStep, ProtocolChoice, ProtocolStep, Steps } from '../parse/ast.js'
import { printType } from '../types/print.js'
import type { Type } from '../types/type.js'
import { declaredType } from './declare.js'

export interface Built {
  readonly start: number
  readonly states: readonly ProtocolState[]
  /** The step of each state. */
  readonly places: readonly Place[]
  readonly messages: readonly Type[]
}

/** A step that something comes of; of all `end`s one is. */
export type Place = MessageStep | CallStep | ProtocolChoice | EndStep

/** Where a protocol has come to: the rest of a list of its steps. */
interface Position {
  readonly protocol: Protocol
  readonly steps: Steps
  readonly at: number
}

interface Found {
  readonly place: Place
  readonly position: Position
}

/** Undefined: it has an error, already reported. `broken`: protocols whose steps are in no order; `endless`: those of which that is told. */
export const buildAutomaton = (
  protocol: Protocol,
  broken: ReadonlySet<Protocol>,
  endless: Set<Steps>,
  report: Report,
): Built | undefined => {
  if (broken.has(protocol)) return undefined
  const builder = new StateBuilder(broken, endless, report)
  const start = builder.start(protocol)
  return start === undefined ? undefined : builder.finish(start)
}

const topOf = (protocol: Protocol): Position => ({ protocol, steps: protocol.declaration.steps, at: 0 })

const END = 'end'

class StateBuilder {
  readonly #numbers = new Map<ProtocolStep | typeof END, number>()
  readonly #found: Found[] = []
  readonly #states: ProtocolState[] = []
  readonly #messages: Type[] = []
  #isBroken = false

  constructor(
    private readonly broken: ReadonlySet<Protocol>,
    private readonly endless: Set<Steps>,
    private readonly report: Report,
  ) {}

  start(protocol: Protocol): number | undefined {
    return this.#state(topOf(protocol))
  }

  finish(start: number): Built | undefined {
    // A list iterates over members that are added meanwhile.
    for (const { place, position } of this.#found) this.#states.push(this.#stateFrom(place, position))
    if (this.#isBroken) return undefined
    return { start, states: this.#states, places: this.#found.map(({ place }) => place), messages: this.#messages }
  }

  #state(position: Position): number | undefined {
    const found = this.#find(position)
    if (!found) return undefined
    const key = found.place.kind === 'end' ? END : found.place
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#found.push(found)
    this.#numbers.set(key, this.#found.length - 1)
    return this.#found.length - 1
  }

  /** The next step that something comes of. */
  #find(position: Position): Found | undefined {
    const passed = new Set<Steps>()
    let at = position
    for (;;) {
      const step = at.steps.list[at.at]
      if (!step) return this.#fail()
      if (step.kind !== 'loop' && step.kind !== 'named') return { place: step, position: at }
      const next = step.kind === 'loop' ? at.protocol : findProtocol(step.name, at.protocol.scope, this.report)
      if (next === 'unknown' || this.broken.has(next)) return this.#fail()
      at = topOf(next)
      if (passed.has(at.steps)) return this.#endlessThrough(passed, step)
      passed.add(at.steps)
    }
  }

  /** A circle is told of once, and not for each protocol in it. */
  #endlessThrough(passed: ReadonlySet<Steps>, step: ProtocolStep): undefined {
    const isTold = [...passed].some((steps) => this.endless.has(steps))
    for (const steps of passed) this.endless.add(steps)
    return isTold ? this.#fail() : this.#endless(step)
  }

  #endless(step: ProtocolStep): undefined {
    const what = step.kind === 'named' ? `'${step.name.name.text}'` : "'loop'"
    const help = 'something has to come before it comes back: a call, a message, or the label of a branch'
    this.report(error('protocol_invalid', `${what} comes back to where it stands without a step: it is endless`, step.span, help))
    return this.#fail()
  }

  #fail(): undefined {
    this.#isBroken = true
    return undefined
  }

  #stateFrom(place: Place, position: Position): ProtocolState {
    if (place.kind === 'end') return { mayEnd: true, edges: [] }
    if (place.kind === 'choice') return this.#choice(place, position)
    const to = this.#state({ ...position, at: position.at + 1 })
    if (to === undefined) return { mayEnd: false, edges: [] }
    if (place.kind === 'call') return { mayEnd: false, edges: [{ kind: 'call', label: place.tool.text, to }] }
    const edge = this.#message(place, position, to)
    return { mayEnd: false, edges: edge ? [edge] : [] }
  }

  #message(place: MessageStep, { protocol }: Position, to: number): ProtocolEdge | undefined {
    const type = declaredType(place.type, protocol.scope, this.report)
    if (!type) return this.#fail()
    return { kind: place.kind, label: printType(type), to, message: this.#messages.push(type) - 1 }
  }

  #choice(place: ProtocolChoice, position: Position): ProtocolState {
    const edges: ProtocolEdge[] = []
    const places = new Map<string, { readonly span: Place['span'] }>()
    let end: EndStep | undefined
    let mayEnd = false
    const add = (edge: ProtocolEdge, at: { readonly span: Place['span'] }) => {
      const first = places.get(edge.label)
      if (first) this.#twice(edge.label, first, at)
      places.set(edge.label, at)
      edges.push(edge)
    }
    for (const branch of place.branches) {
      if (branch.kind === 'end') {
        if (end) this.#twice('end', end, branch)
        end = branch
      } else if (branch.kind === 'loop') {
        const top = this.#find(topOf(position.protocol))
        if (!top) continue
        if (top.place === place) {
          this.#endless(branch)
          continue
        }
        const state = this.#stateFrom(top.place, top.position)
        mayEnd ||= state.mayEnd
        for (const edge of state.edges) add(edge, branch)
      } else {
        const to = this.#state({ protocol: position.protocol, steps: branch.steps, at: 0 })
        if (to !== undefined) add({ kind: 'choose', label: branch.label.text, to }, branch.label)
      }
    }
    return { mayEnd: mayEnd || end !== undefined, edges }
  }

  #twice(label: string, first: { readonly span: Place['span'] }, second: { readonly span: Place['span'] }): void {
    this.#isBroken = true
    const help = "the labels of a choice are distinct, with those that a lone 'loop' adds"
    const twice = error('protocol_invalid', `'${label}' is twice in this choice: it is ambiguous`, second.span, help)
    this.report({ ...twice, related: [{ message: 'the first one is here', span: first.span }] })
  }
}
