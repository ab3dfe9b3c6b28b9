// How a person is asked whether a tool may be called: a form without fields, in all revisions.

import type { ElicitRequestFormParams } from '@modelcontextprotocol/sdk/types.js'

export const CONSENT: ElicitRequestFormParams['requestedSchema'] = { type: 'object', properties: {} }

/** Who has not answered by then has said no. */
export const APPROVAL_TIMEOUT_MS = 300_000
