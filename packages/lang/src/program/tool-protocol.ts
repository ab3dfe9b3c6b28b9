// The order in which the tools of an agent, or of a server, may be called: an automaton with nothing left to compile, as it is handed to
// the processes that hold calls to it.

export interface ToolProtocol {
  readonly name: string
  /** The first is where each walk begins. */
  readonly states: readonly ToolState[]
  /** Tools that may be called at any time. Undefined: all that the protocol does not name. */
  readonly free?: readonly string[]
  /** A conversation goes on where its last input has left it. */
  readonly isPerConversation: boolean
}

export interface ToolState {
  /** The walk may end here. */
  readonly ends: boolean
  /** The tools that may be called here, by the names that a model sees, and the numbers of the states that they lead to. */
  readonly calls: readonly (readonly [tool: string, to: number])[]
}

/** The tools that it names. */
export const labelsOf = ({ states }: Pick<ToolProtocol, 'states'>): ReadonlySet<string> =>
  new Set(states.flatMap(({ calls }) => calls.map(([tool]) => tool)))
