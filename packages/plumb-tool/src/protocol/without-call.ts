// A protocol for one who does not see the calls of one tool: where such a call may come, it may have come.

import type { Automaton, ProtocolEdge } from '@plumb/wire/protocol'

/** Each state stands for those in which the whole protocol may be. */
export const withoutCall = (whole: Automaton, unseen: string): Automaton => {
  if (whole.states.every(({ edges }) => edges.every(({ label }) => label !== unseen))) return whole
  const numbers = new Map<string, number>()
  const found: (readonly number[])[] = []
  const numberOf = (states: readonly number[]): number => {
    const around = withUnseen(whole, unseen, states)
    const key = around.join(' ')
    const known = numbers.get(key)
    if (known !== undefined) return known
    numbers.set(key, found.push(around) - 1)
    return found.length - 1
  }
  const start = numberOf([whole.start])
  const states: { mayEnd: boolean; edges: ProtocolEdge[] }[] = []
  // A list iterates over members that are added meanwhile.
  for (const around of found) {
    const edges = around.flatMap((state) => whole.states[state]?.edges ?? []).filter(({ label }) => label !== unseen)
    const labels = [...new Set(edges.map(({ label }) => label))]
    states.push({
      mayEnd: around.some((state) => whole.states[state]?.mayEnd),
      edges: labels.map((label) => ({
        kind: 'call' as const,
        label,
        to: numberOf(edges.filter((edge) => edge.label === label).map(({ to }) => to)),
      })),
    })
  }
  return { ...whole, start, states }
}

const withUnseen = ({ states }: Automaton, unseen: string, from: readonly number[]): readonly number[] => {
  const reached = new Set(from)
  for (const state of reached) for (const { label, to } of states[state]?.edges ?? []) if (label === unseen) reached.add(to)
  return [...reached].sort((a, b) => a - b)
}
