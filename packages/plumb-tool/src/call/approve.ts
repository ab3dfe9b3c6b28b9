// Asks a person to approve a call, if the tool or the policy requires it. Without a person to ask, the call is denied.

import { type Json, toSchema } from '@plumb/lang'
import { type AskedCall, type Consent, settleConsent, whyText } from '@plumb/ledger'
import { terminalApproval } from '@plumb/policy'
import { fail, type Result } from '@plumb/wire'
import type { JsonText } from '../json-text.js'
import type { ApprovalRequest, Call, Session } from './call.js'
import { note } from './note.js'
import type { Wrap } from './tool.js'

/** Whether a call that a person gives another input may be made with it, and with what then. */
export type CheckEdited = (input: JsonText, call: Call) => Promise<Result<JsonText>>

export const withApproval =
  (check: CheckEdited): Wrap =>
  (tool) => ({
    ...tool,
    run: async (input, call) => {
      const { id, session, signal } = call
      const request = { id, tool: tool.name, input: JSON.parse(input) as Json, text: input }
      if (session.held && call.depth === 0) {
        const run = (edited?: JsonText) => {
          if (edited !== undefined) call.record.edited = edited
          return tool.run(edited ?? input, call)
        }
        const made = await session.held({ ...request, schema: () => toSchema(tool.input) }, run, signal)
        note(call, 'approval', made.ok || !NOT_MADE.has(made.error.error) ? 'given' : 'not given')
        return made
      }
      const ask = async ({ input: text, wrong }: AskedCall): Promise<Consent> =>
        !signal.aborted &&
        session.approve({ ...request, input: JSON.parse(text) as Json, text, ...(wrong === undefined ? {} : { wrong }) }, signal)
      const { said, edited, why } = await settleConsent<never>({ tool: tool.name, input }, ask, (json) => check(json, call))
      note(call, 'approval', !said ? 'not given' : edited === undefined ? 'given' : 'given, with another input')
      if (said && edited !== undefined) call.record.edited = edited
      if (said) return tool.run(edited ?? input, call)
      return fail(
        'approval_required',
        `'${tool.name}' needs the consent of a person, who said no${why === undefined ? ' or is not there' : whyText(why)}`,
        { tool: tool.name },
      )
    },
  })

const NOT_MADE = new Set<string>(['approval_required', 'parked', 'in_doubt', 'write_failed'])

/** For a session that was started by a person, who may be at a terminal. Undefined: no terminal. */
export const askOnTerminal = (ask = terminalApproval()) => {
  return ({ tool, input, text = JSON.stringify(input), wrong }: ApprovalRequest, signal: AbortSignal): Promise<Consent | undefined> =>
    ask({ tool, input: text, wrong }, signal)
}

export const approveOnTerminal = (ask = askOnTerminal()): Session['approve'] => {
  return async (request, signal) => (await ask(request, signal)) ?? false
}
