// The permission stage: the tool's effects must be granted, and allowed by the policy.

import { type Effect, permit, type Subject } from '@plumb/policy'
import { type Result, succeed } from '@plumb/wire'
import type { JsonText } from '../json-text.js'
import { withApproval } from './approve.js'
import type { Call } from './call.js'
import { fitInput } from './fit.js'
import { note } from './note.js'
import type { TargetsOf } from './targets.js'
import type { Tool, Wrap } from './tool.js'

export interface PermissionOptions {
  readonly effects: readonly Effect[]
  readonly deferred?: Subject['deferred']
  readonly targetsOf?: TargetsOf
  /** The tool itself says `approval: "ask"`. */
  readonly needsApproval?: boolean
  /** Wall clock; Date.now. */
  readonly now?: () => number
}

/** Asks a person at most once, whether the tool or the policy requires it. */
export const withPermission =
  ({ effects, deferred, targetsOf, needsApproval = false, now = Date.now }: PermissionOptions): Wrap =>
  (tool) => {
    const fixed: Subject = { tool: tool.name, effects, ...(deferred ? { deferred } : {}) }
    const allowed = effects.length === 0 ? 'no effects' : `allowed: ${effects.join(', ')}`
    const subjectOf = async (input: JsonText, call: Call): Promise<Subject> => ({ ...fixed, ...(await targetsOf?.(input, call)) })
    // A person gives another input within what the type and the policy allow.
    const check = async (input: JsonText, call: Call): Promise<Result<JsonText>> => {
      const fit = fitInput(input, tool.input)
      if (!fit.ok) return fit
      const permission = permit(await subjectOf(fit.value.json, call), call.session.authority(), now())
      return permission.kind === 'deny' ? { ok: false, error: permission.fault } : succeed(fit.value.json)
    }
    const asked: Tool = withApproval(check)(tool)
    const decide = (subject: Subject, input: JsonText, call: Call): Promise<Result<JsonText>> => {
      const permission = permit(subject, call.session.authority(), now())
      if (permission.kind === 'deny') {
        note(call, 'permission', `denied: ${permission.fault.detail}`)
        return Promise.resolve({ ok: false, error: permission.fault })
      }
      note(call, 'permission', allowed)
      return (needsApproval || permission.kind === 'ask' ? asked : tool).run(input, call)
    }
    return {
      ...tool,
      run: targetsOf
        ? async (input, call) => decide(await subjectOf(input, call), input, call)
        : (input, call) => decide(fixed, input, call),
    }
  }
