// Records which states of the protocols that agents are held to the walks of their calls have come to.

import { type Program, type Span, toolProtocolOf } from '@plumb/lang'
import type { Automaton } from '@plumb/wire/protocol'
import type { CallLog } from './call-log.js'

export interface CoveredState {
  readonly kind: 'state'
  readonly name: string
  readonly span: Span
  hits: number
}

export class CoveredStates {
  /** Those of each protocol, by their numbers. */
  readonly #states = new Map<Automaton, readonly CoveredState[]>()

  /** For the named file. */
  constructor({ entry, scopes }: Program) {
    const places = new Map(scopes.flatMap(({ protocols }) => [...protocols.values()]).map((one) => [one.automaton, one.declaration.name]))
    for (const bound of entry.bindings.values()) {
      const automaton = toolProtocolOf(bound)?.automaton
      const place = places.get(automaton)
      if (automaton && place) this.#states.set(automaton, statesOf(automaton, place.span))
    }
  }

  get points(): readonly CoveredState[] {
    return [...this.#states.values()].flat()
  }

  add({ states }: CallLog): void {
    for (const [automaton, reached] of states) {
      for (const state of reached) {
        const point = this.#states.get(automaton)?.[state]
        if (point) point.hits++
      }
    }
  }
}

/** Each is named by a shortest way to it. */
const statesOf = ({ name, start, states }: Automaton, span: Span): readonly CoveredState[] => {
  const ways = new Map<number, readonly string[]>([[start, []]])
  // A map iterates over members that are added meanwhile.
  for (const [state, way] of ways) for (const { label, to } of states[state]?.edges ?? []) if (!ways.has(to)) ways.set(to, [...way, label])
  return states.map((_, state): CoveredState => {
    const way = ways.get(state) ?? []
    return { kind: 'state', name: `${name}: ${way.length === 0 ? 'start' : `after ${way.join(', ')}`}`, span, hits: 0 }
  })
}
