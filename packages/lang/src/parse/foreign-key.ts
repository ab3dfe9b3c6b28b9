// Keys of agents and tools, and their values, as other systems write them, and how that is written here.

import type { Cursor } from './cursor.js'
import { named, plain } from './foreign.js'

/** Spelt in any way: `maxOutputTokens`, `max_output_tokens`. */
const KEYS = named({
  prompt: 'system systemprompt instructions systemmessage',
  max_retries: 'retries',
  history: 'messages',
  endpoint: 'baseurl apibase url',
  max_tokens: 'maxoutputtokens maxcompletiontokens',
  effort: 'reasoningeffort reasoning',
  conversation: 'session sessionid thread threadid memory',
  concurrency: 'parallel workers',
  amnesiac: 'stateless',
  mcp: 'mcpservers',
  provider: 'api vendor',
  prompt_file: 'promptpath instructionsfile',
  command: 'cmd exec run program script',
})

/** What has no key of that name. */
const WAYS = named({
  "a key is in the environment, as ANTHROPIC_API_KEY, or 'key_command' prints it": 'apikey key token secret bearer auth',
  'the type of the output says what is answered, and is the schema of the request':
    'json jsonmode responseformat responseschema outputschema outputtype output schema structuredoutput format',
  "what the API takes beside the keys is in 'request', as in request: { top_p: 0.9 }":
    'topp topk seed stop stopsequences logitbias frequencypenalty presencepenalty n logprobs user metadata extrabody extraargs',
  "a + b of two agents asks b where a fails: 'let main : !A -> !B = a + b'": 'fallback fallbacks fallbackmodel models',
  "'plumb --cache DIR' keeps answers": 'cache caching',
  'a tool says it, as in tool { command: ["ls"], approval: "ask" }': 'approval approvals humanintheloop interrupt',
})

/** The key of the same meaning. */
export const ownKey = (name: string): string | undefined => KEYS.get(plain(name))

/** How what that key says is said here. */
export const ownKeyWay = (name: string): string | undefined => WAYS.get(plain(name))

/** Behind a key, where its colon is due. */
export const helpBehindKey = ({ next: { text } }: Cursor, key: string): string | undefined =>
  text === '=' || text === '=>' ? `write '${key}: …'` : undefined

/** Behind the value of a key, where a comma is due. */
export const helpBehindValue = ({ next: { text, kind }, previous }: Cursor): string | undefined => {
  if (text === ';') return "keys are separated by ',' or new lines"
  if (text === '+') return 'a text is written whole, or as a template: $"…{e}…"'
  if (previous.kind !== 'identifier') return undefined
  if (kind === 'string') return 'a text with expressions in it begins with $: $"…{e}…"'
  return text === '(' ? "a value is not computed: 'prompt_file' and 'template' read a file" : undefined
}
