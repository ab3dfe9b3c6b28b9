// The current permissions: which tools a model sees, and whether a call is permitted.

import { type Authority, isOffered, type Permission, permit, type Subject } from '@plumb/policy'
import type { CallableTool, CheckedPart } from './callable.js'

export interface ToolPolicy {
  isOffered(tool: CallableTool): boolean
  /** The dispatcher checks the files and hosts of a call, which it knows. */
  decide(tool: CallableTool): Permission
}

export const openToolPolicy = (authority: () => Authority): ToolPolicy => ({
  isOffered: ({ name, effects }) => isOffered({ tool: name, effects }, authority(), Date.now()),
  decide: (tool) => {
    const now = Date.now()
    const given = authority()
    const permission = permit({ ...subjectOf(tool), deferred: 'targets' }, given, now)
    if (permission.kind === 'deny') return permission
    const needsConsent = [tool, ...tool.parts].some((part) => part.needsApproval || mayNeedConsent(part, given, now))
    return needsConsent ? { kind: 'ask' } : permission
  },
})

// Even if a rule asks for some targets only: the dispatcher knows them, but cannot ask a person.
const mayNeedConsent = (tool: CheckedPart, authority: Authority, now: number): boolean =>
  permit(subjectOf(tool), authority, now).kind === 'ask'

const subjectOf = ({ name, effects, hosts }: CheckedPart): Subject => ({ tool: name, effects, ...(hosts ? { hosts } : {}) })
