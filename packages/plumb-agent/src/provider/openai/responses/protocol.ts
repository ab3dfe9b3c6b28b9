// OpenAI's Responses API, stateless: nothing is stored there, and reasoning is passed back and forth encrypted.

import { PLAIN_WITH_TOOLS, type Protocol } from '../../protocol.js'
import { DIALECT } from '../dialect.js'
import { baseOf, bearer } from '../endpoint.js'
import { bodyOf } from './body.js'
import { refusesMedia } from './items.js'
import { eventsOf, openReader } from './reader.js'

export const RESPONSES: Protocol = {
  pathOf: (endpoint) => `${baseOf(endpoint)}/responses`,
  headersOf: bearer,
  dialect: DIALECT,
  efforts: undefined,
  bodyOf,
  refusesMedia,
  openReader,
  openBatches: async (calls, endpoint, headers) => {
    const { openFileBatches } = await import('../batches.js')
    return openFileBatches({ calls, base: baseOf(endpoint), url: '/v1/responses', headers })
  },
  eventsOf,
  downgrades: [
    PLAIN_WITH_TOOLS,
    { name: 'plain_output', words: /text\.format|json_schema|structured output|schema/i, concedes: 'structured output' },
    { name: 'no_encrypted_reasoning', words: /encrypted/i, concedes: 'encrypted reasoning' },
    { name: 'no_temperature', words: /temperature/i, concedes: 'temperature' },
    { name: 'no_parallel', words: /parallel_tool_calls/, concedes: 'parallel_tool_calls' },
    { name: 'no_cache_key', words: /prompt_cache_key/, concedes: 'prompt_cache_key' },
  ],
  hints: [],
}
