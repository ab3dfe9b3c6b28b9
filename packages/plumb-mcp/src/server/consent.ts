// How a person is asked whether a tool may be called: a form without fields, in all revisions.

import { isRecord } from '@plumb/wire'

export const CONSENT = { type: 'object', properties: {} } as const

/** Who has not answered by then has said no. */
export const APPROVAL_TIMEOUT_MS = 300_000

/** Of the capability of a client: without a mode it has forms; with one for addresses alone it has not. */
export const hasForms = (elicitation: unknown): boolean => isRecord(elicitation) && ('form' in elicitation || !('url' in elicitation))
