// Anthropic's Messages API, as of 2026-10-21.

import { at } from '../http/json-path.js'
import type { Protocol } from '../protocol.js'
import { ANTHROPIC_ACCOUNT } from '../settings.js'
import { bodyOf, DIALECT } from './body.js'
import { eventsOf, openReader } from './reader.js'

export const ANTHROPIC: Protocol = {
  keyVariable: ANTHROPIC_ACCOUNT.keyVariable,
  ownEndpoint: ANTHROPIC_ACCOUNT.ownEndpoint,
  // The official SDK takes it without /v1; with it, it is meant all the same.
  pathOf: ({ pathname }) => `${pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/messages`,
  headersOf: (key, body) => ({
    ...(key === undefined ? {} : { 'x-api-key': key }),
    'anthropic-version': SAMPLING.some((key) => at(body, key) !== undefined) ? VERSION_WITH_SAMPLING : VERSION,
    ...(at(body, 'thinking', 'block_binding') !== undefined ? { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' } : {}),
  }),
  dialect: DIALECT,
  bodyOf,
  openReader,
  eventsOf,
  downgrades: [
    { name: 'plain_output', words: /output_config|output_format|json_schema|structured output|schema/i },
    { name: 'adaptive_thinking', words: /thinking\.type\.(enabled|adaptive)|budget_tokens/ },
    { name: 'no_binding', words: /block_binding|thinking-binding|anthropic-beta/ },
  ],
}

const SAMPLING = ['temperature', 'top_p', 'top_k']
const VERSION = '2026-10-21'
/** The last that takes a temperature, for the models that do. */
const VERSION_WITH_SAMPLING = '2023-06-01'
