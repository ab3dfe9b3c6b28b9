// The stage before anything is done: what the tool does must be granted, and allowed by the policy.

import type { Tool, Wrap } from '../tool.js'
import { withApproval } from './approve.js'
import { note } from './note.js'
import { type Effect, permit, type Subject } from './permit.js'
import type { TargetsOf } from './targets.js'

export interface PermissionOptions {
  readonly effects: readonly Effect[]
  readonly judgedLater?: Subject['judgedLater']
  readonly targetsOf?: TargetsOf
  /** The tool itself says `approval: "ask"`. */
  readonly isApprovalAsked?: boolean
  /** Wall clock; Date.now. */
  readonly now?: () => number
}

/** A person is asked at most once, whether the tool wants it or the policy. */
export const withPermission =
  ({ effects, judgedLater, targetsOf, isApprovalAsked = false, now = Date.now }: PermissionOptions): Wrap =>
  (tool) => {
    const asked: Tool = withApproval(tool)
    const fixed: Subject = { tool: tool.name, effects, ...(judgedLater ? { judgedLater } : {}) }
    return {
      ...tool,
      run: async (input, call) => {
        const subject = targetsOf ? { ...fixed, ...(await targetsOf(input, call)) } : fixed
        const permission = permit(subject, call.session.authority(), now())
        if (permission.kind === 'deny') {
          note(call, 'permission', `denied: ${permission.fault.detail}`)
          return { ok: false, error: permission.fault }
        }
        note(call, 'permission', effects.length === 0 ? 'no effects' : `allowed: ${effects.join(', ')}`)
        return (isApprovalAsked || permission.kind === 'ask' ? asked : tool).run(input, call)
      },
    }
  }
