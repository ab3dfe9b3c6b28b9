// Anthropic's Messages API, as of 2026-10-21.

import { at } from '../http/json-path.js'
import { PLAIN_WITH_TOOLS, type Protocol } from '../protocol.js'
import { bodyOf, DIALECT } from './body.js'
import { refusesMedia } from './messages.js'
import { eventsOf, openReader } from './reader.js'

export const ANTHROPIC: Protocol = {
  // The official SDK expects it without /v1; with it, it works all the same.
  pathOf: ({ pathname }) => `${pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/messages`,
  headersOf: (key, body) => ({
    ...(key === undefined ? {} : { 'x-api-key': key }),
    'anthropic-version': SAMPLING.some((key) => at(body, key) !== undefined) ? VERSION_WITH_SAMPLING : VERSION,
    ...(at(body, 'thinking', 'block_binding') !== undefined ? { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' } : {}),
  }),
  dialect: DIALECT,
  bodyOf,
  refusesMedia,
  openReader,
  openBatches: async (calls, endpoint, headers) => {
    const { openMessageBatches } = await import('./batches.js')
    return openMessageBatches(calls, endpoint, ANTHROPIC.pathOf(endpoint), headers)
  },
  eventsOf,
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  downgrades: [
    PLAIN_WITH_TOOLS,
    {
      name: 'plain_output',
      words: /output_config\.format|output_format|json_schema|structured output|schema/i,
      concedes: 'structured output',
    },
    { name: 'adaptive_thinking', words: /thinking\.type\.(enabled|adaptive)|budget_tokens/, concedes: 'thinking_budget' },
    { name: 'no_binding', words: /block_binding|thinking-binding|anthropic-beta/ },
    { name: 'no_temperature', words: /temperature/i, concedes: 'temperature' },
    { name: 'no_tool_search', words: /tool_search|defer_loading/, concedes: 'tool search' },
    { name: 'no_parallel', words: /tool_choice|disable_parallel/, concedes: 'parallel_tool_calls' },
  ],
  hints: [],
}

const SAMPLING = ['temperature', 'top_p', 'top_k']
const VERSION = '2026-10-21'
/** The last version that accepts a temperature, for the models that do. */
const VERSION_WITH_SAMPLING = '2023-06-01'
