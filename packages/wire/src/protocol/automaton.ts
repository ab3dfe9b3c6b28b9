// A protocol as a finite automaton, as JSON: what may come in each state. One for all uses: tools in order, and conversations.

export interface Automaton {
  /** Of the protocol, as it was declared. */
  readonly name: string
  readonly start: number
  readonly states: readonly ProtocolState[]
}

export interface ProtocolState {
  /** Here it may be over. */
  readonly mayEnd: boolean
  /** Each with a label of its own, but for messages of which the types tell. */
  readonly edges: readonly ProtocolEdge[]
}

export interface ProtocolEdge {
  /** `call`: of a tool; `choose`: the label of a choice between processes; `send` and `recv`: a message, as seen by the side as written. */
  readonly kind: 'call' | 'choose' | 'send' | 'recv'
  /** The name of the tool or of the branch, or the type of the message. */
  readonly label: string
  readonly to: number
  /** The position of a message's type in the list that belongs to the automaton. */
  readonly message?: number
}

const stateOf = ({ states }: Automaton, state: number): ProtocolState => states[state] ?? NOWHERE

const NOWHERE: ProtocolState = { mayEnd: false, edges: [] }

/** The labels that may come next, in the order written. */
export const allowed = (automaton: Automaton, state: number): readonly string[] => stateOf(automaton, state).edges.map(({ label }) => label)

/** The state behind this label. Undefined: it may not come here. */
export const step = (automaton: Automaton, state: number, label: string): number | undefined =>
  stateOf(automaton, state).edges.find((edge) => edge.label === label)?.to

export const mayEnd = (automaton: Automaton, state: number): boolean => stateOf(automaton, state).mayEnd

/** All labels, each once, in the order in which they can first come. */
export const labelsOf = ({ states, start }: Automaton): readonly string[] => {
  const labels = new Set<string>()
  const reached = new Set([start])
  // A set iterates over members that are added meanwhile.
  for (const state of reached) {
    for (const { label, to } of states[state]?.edges ?? []) {
      labels.add(label)
      reached.add(to)
    }
  }
  return [...labels]
}

/** The labels that have come whenever this one comes for the first time, in the order in which they can. */
export const mustComeBefore = (automaton: Automaton, label: string): readonly string[] =>
  labelsOf(automaton).filter((other) => other !== label && !isReachedWithout(automaton, label, other))

const isReachedWithout = ({ states, start }: Automaton, label: string, without: string): boolean => {
  const reached = new Set([start])
  for (const state of reached) {
    for (const edge of states[state]?.edges ?? []) {
      if (edge.label === label) return true
      if (edge.label !== without) reached.add(edge.to)
    }
  }
  return false
}
