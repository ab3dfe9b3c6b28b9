// What a person at the client is asked: whether a tool may be called, a form that may be left empty; and what an agent asks whose model is a person.

import { type AskedCall, type Consent, inputToShow } from '@plumb/ledger'
import { isRecord, preview } from '@plumb/wire'
import { inOneLine } from '@plumb/wire/edit-json'
import type { FormQuestion, Params } from './method.js'

const EDITED = 'input'
const CONSENT = {
  type: 'object',
  properties: {
    [EDITED]: { type: 'string', title: 'Another input', description: 'JSON, about which you are asked again; empty: as it is' },
  },
} as const

/** Asks until the person says yes or no, or gives the call another input. */
export const askConsent = async (
  { tool, input, wrong }: AskedCall,
  ask: (question: FormQuestion) => Promise<Params | undefined>,
): Promise<Consent> => {
  for (let why = wrong; ; ) {
    const message = `May the tool '${tool}' be called with ${inputToShow(input, MAX_SHOWN)}?`
    const entered = await ask({
      message: why === undefined ? message : `${message}\n\nNot changed: ${preview(why, MAX_SHOWN)}`,
      requestedSchema: CONSENT,
    })
    if (!entered) return false
    const { [EDITED]: edited } = entered
    if (typeof edited !== 'string' || edited.trim() === '') return true
    const json = inOneLine(edited)
    if (json.ok) return { edited: json.value }
    why = json.error.detail
  }
}

const MAX_SHOWN = 1000

/** No answer by then means no (ms). */
export const APPROVAL_TIMEOUT_MS = 300_000

/** By the capability of a client: without a mode it has forms; with only the mode for URLs it has not. */
export const hasForms = (elicitation: unknown): boolean => isRecord(elicitation) && ('form' in elicitation || !('url' in elicitation))

/** Undefined: it was declined, or dismissed. */
export const enteredIn = ({ action, content }: Params): Params | undefined =>
  action === 'accept' ? (isRecord(content) ? content : {}) : undefined
