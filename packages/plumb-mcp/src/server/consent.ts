// What a person at the client is asked: whether a tool may be called, a form without fields; and what an agent asks whose model is a person.

import { isRecord } from '@plumb/wire'
import type { FormQuestion, Params } from './method.js'

const CONSENT = { type: 'object', properties: {} } as const

/** `message`: the question. */
export const consentTo = (message: string): FormQuestion => ({ message, requestedSchema: CONSENT })

/** No answer by then means no (ms). */
export const APPROVAL_TIMEOUT_MS = 300_000

/** By the capability of a client: without a mode it has forms; with only the mode for URLs it has not. */
export const hasForms = (elicitation: unknown): boolean => isRecord(elicitation) && ('form' in elicitation || !('url' in elicitation))

/** Undefined: it was declined, or dismissed. */
export const enteredIn = ({ action, content }: Params): Params | undefined =>
  action === 'accept' ? (isRecord(content) ? content : {}) : undefined
