// The order in which the tools of an agent, or of a server, may be called: an automaton with nothing left to compile, as it is handed to
// the processes that hold calls to it.

import type { Automaton } from '@plumb/wire/protocol'
import { agentConfig } from '../check/agent.js'
import { SKILL } from '../check/protocol.js'
import { type Bound, resolveProtocol } from '../names/names.js'

export interface ToolProtocol {
  /** Its labels are the names of tools, as a model sees them. */
  readonly automaton: Automaton
  /** Tools that may be called at any time. Undefined: all that the protocol does not name. */
  readonly free?: readonly string[]
  /** A conversation goes on where its last input has left it. */
  readonly isPerConversation: boolean
}

/** Of an agent; only for a program without errors. */
export const toolProtocolOf = ({ binding: { impl }, scope }: Bound): ToolProtocol | undefined => {
  if (impl.kind !== 'agent') return undefined
  const config = agentConfig(impl, scope)
  const [name] = config.get('protocol')?.names ?? []
  const automaton = name && resolveProtocol(name, scope)?.automaton
  if (!automaton) return undefined
  const free = (config.get('free')?.value ?? []) as readonly string[]
  return {
    automaton,
    free: config.has('skills') ? [...free, SKILL] : free,
    isPerConversation: config.get('protocol_per')?.value === 'conversation',
  }
}
