// A person's word on one call: asked for where the tool or the policy wants it. Nobody there is a no.

import type { Json } from '@plumb/lang'
import { terminalApproval } from '@plumb/policy'
import { fail } from '@plumb/wire'
import type { Wrap } from '../tool.js'
import type { Session } from './call.js'
import { note } from './note.js'

export const withApproval: Wrap = (tool) => ({
  ...tool,
  run: async (input, call) => {
    const request = { id: call.id, tool: tool.name, input: JSON.parse(input) as Json }
    const isApproved = !call.signal.aborted && (await call.session.approve(request, call.signal))
    note(call, 'approval', isApproved ? 'given' : 'not given')
    if (isApproved) return tool.run(input, call)
    return fail('approval_required', `'${tool.name}' needs the consent of a person, who said no or is not there`, { tool: tool.name })
  },
})

/** For a session that a person has begun, who may be at a terminal. */
export const approveOnTerminal = (ask = terminalApproval()): Session['approve'] => {
  return async ({ tool, input }, signal) => (await ask({ tool, input: JSON.stringify(input) }, signal)) === true
}
