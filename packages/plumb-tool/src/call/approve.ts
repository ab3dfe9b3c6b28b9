// Asks a person to approve a call, if the tool or the policy requires it. Without a person to ask, the call is denied.

import type { Json } from '@plumb/lang'
import { terminalApproval } from '@plumb/policy'
import { fail } from '@plumb/wire'
import type { ApprovalRequest, Session } from './call.js'
import { note } from './note.js'
import type { Wrap } from './tool.js'

export const withApproval: Wrap = (tool) => ({
  ...tool,
  run: async (input, call) => {
    const request = { id: call.id, tool: tool.name, input: JSON.parse(input) as Json, text: input }
    const { held } = call.session
    if (held && call.depth === 0) {
      const made = await held(request, () => tool.run(input, call), call.signal)
      note(call, 'approval', made.ok || !NOT_MADE.has(made.error.error) ? 'given' : 'not given')
      return made
    }
    const isApproved = !call.signal.aborted && (await call.session.approve(request, call.signal))
    note(call, 'approval', isApproved ? 'given' : 'not given')
    if (isApproved) return tool.run(input, call)
    return fail('approval_required', `'${tool.name}' needs the consent of a person, who said no or is not there`, { tool: tool.name })
  },
})

const NOT_MADE = new Set<string>(['approval_required', 'parked', 'in_doubt', 'write_failed'])

/** For a session that was started by a person, who may be at a terminal. Undefined: no terminal. */
export const askOnTerminal = (ask = terminalApproval()) => {
  return ({ tool, input, text = JSON.stringify(input) }: ApprovalRequest, signal: AbortSignal): Promise<boolean | undefined> =>
    ask({ tool, input: text }, signal)
}

export const approveOnTerminal = (ask = askOnTerminal()): Session['approve'] => {
  return async (request, signal) => (await ask(request, signal)) === true
}
