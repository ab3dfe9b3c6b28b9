// Asks a person whether a tool may be called: a form without fields, in all revisions.

import { isRecord } from '@plumb/wire'

export const CONSENT = { type: 'object', properties: {} } as const

/** No answer by then means no (ms). */
export const APPROVAL_TIMEOUT_MS = 300_000

/** By the capability of a client: without a mode it has forms; with only the mode for URLs it has not. */
export const hasForms = (elicitation: unknown): boolean => isRecord(elicitation) && ('form' in elicitation || !('url' in elicitation))
