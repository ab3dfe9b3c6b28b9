// Who speaks first from each state on, through all choices: so it is known who makes them.

import type { ProtocolState } from './automaton.js'

/** Of the first message: from the side as written, to it, both, or neither where none comes. */
export interface FirstDirections {
  readonly send: boolean
  readonly recv: boolean
}

/** A least fixed point, by state. */
export const firstDirections = (states: readonly ProtocolState[]): readonly FirstDirections[] => {
  const found = states.map(() => ({ send: false, recv: false }))
  const before = states.map((): number[] => [])
  const rest: number[] = []
  for (const [from, { edges }] of states.entries()) {
    const own = found[from]
    for (const { kind, to } of edges) {
      if (own && (kind === 'send' || kind === 'recv')) own[kind] = true
      else before[to]?.push(from)
    }
    if (own?.send || own?.recv) rest.push(from)
  }
  for (let state = rest.pop(); state !== undefined; state = rest.pop()) {
    const own = found[state]
    for (const from of before[state] ?? []) {
      const other = found[from]
      if (!own || !other || ((!own.send || other.send) && (!own.recv || other.recv))) continue
      other.send ||= own.send
      other.recv ||= own.recv
      rest.push(from)
    }
  }
  return found
}
