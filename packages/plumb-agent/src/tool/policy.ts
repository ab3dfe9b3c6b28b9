// What may be done at this moment: which tools a model sees, and whether a call is permitted.

import { type Authority, isOffered, type Permission, permit, type Subject } from '@plumb/policy'
import type { CallableTool, JudgedTool } from './callable.js'

export interface ToolPolicy {
  isOffered(tool: CallableTool): boolean
  /** The files and hosts that a call reaches are checked by the dispatcher, which knows them. */
  decide(tool: CallableTool): Permission
}

export const openToolPolicy = (authority: () => Authority): ToolPolicy => ({
  isOffered: ({ name, effects }) => isOffered({ tool: name, effects }, authority(), Date.now()),
  decide: (tool) => {
    const now = Date.now()
    const given = authority()
    const permission = permit({ ...subjectOf(tool), deferred: 'targets' }, given, now)
    if (permission.kind === 'deny') return permission
    const isAsked = [tool, ...tool.parts].some((part) => part.isApprovalAsked || mayBeAsked(part, given, now))
    return isAsked ? { kind: 'ask' } : permission
  },
})

// Also where a rule asks for some targets only: the dispatcher knows them, but has no one to ask.
const mayBeAsked = (tool: JudgedTool, authority: Authority, now: number): boolean => permit(subjectOf(tool), authority, now).kind === 'ask'

const subjectOf = ({ name, effects, hosts }: JudgedTool): Subject => ({ tool: name, effects, ...(hosts ? { hosts } : {}) })
