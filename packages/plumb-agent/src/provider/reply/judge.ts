// What an error of a server means for the input that met it, and for those after it: by its words first, then by its number.

import type { Code } from '@plumb/wire'
import type { ProviderRefusal } from '../provider.js'
import type { ServerWords } from './server-words.js'

export interface Verdict {
  readonly code: Code
  readonly isRetryable: boolean
  readonly refusal?: ProviderRefusal
  /** The server could not read what the model wrote: the model may write it otherwise. */
  readonly isOfModel?: true
}

/** `status`: of HTTP. Undefined: of an error within a reply. `waitIsNamed`: the server says when it may be asked again. */
export const judge = (words: ServerWords, status: number | undefined, waitIsNamed = false): Verdict => {
  const number = status ?? words.status
  const named = MEANINGS.find(({ pattern, statuses }) => (number === undefined || statuses(number)) && pattern.test(words.all))
  const isWaiting = number === 429 && (waitIsNamed || WAIT.test(words.all))
  const known = number === undefined ? words.kinds.map((kind) => ERROR_TYPES.get(kind)).find((one) => one !== undefined) : undefined
  if (named && !isWaiting)
    return { ...named.verdict, ...(number === 429 ? LIMITED : {}), ...(known?.code === 'rate_limited' ? LIMITED : {}) }
  if (number !== undefined) return ofStatus(number)
  return known ?? { code: 'overloaded', isRetryable: true }
}

interface Meaning {
  readonly pattern: RegExp
  /** Those that it may have. */
  readonly statuses: (status: number) => boolean
  readonly verdict: Verdict
}

const REFUSED: Verdict = { code: 'provider_refused', isRetryable: false }
const isOfRequest = (status: number): boolean => status >= 400 && status < 500 && ![401, 408, 409, 429].includes(status)

const MEANINGS: readonly Meaning[] = [
  // Groq.
  {
    pattern: /tool_use_failed|json_validate_failed|failed to (?:call a function|generate json)/i,
    statuses: isOfRequest,
    verdict: { ...REFUSED, isOfModel: true },
  },
  // OpenAI's code, and the messages of others, such as "prompt is too long: 213000 tokens > 200000 maximum".
  {
    pattern: new RegExp(
      [
        'context_length_exceeded|exceed_context_size|context_window_exceeded|context[_ ]overflow|context_too_large',
        '(?:prompt|input) (?:is )?too long|exceed\\w* .{0,40}context|context (?:window|length|size) .{0,20}exceed',
        // vLLM, xAI, Gemini, Together, LM Studio, Moonshot, Alibaba.
        'maximum context length|longer than the (?:maximum )?(?:model|context)|maximum prompt length',
        'input token count .{0,40}exceed|`inputs` tokens \\+|context length of only|exceed\\w* model token limit|range of input length',
        'prompt exceeds max length|reduce the length of the (?:messages|input|prompt)',
        // LM Studio, GitHub's, Poolside, llama.cpp's kin, Cohere, Bedrock.
        'greater than the context length|(?:prompt|input|message).{0,60}token count .{0,30}exceeds the limit',
        'maximum allowed input length|configured context size|context limit reached|input token limit|too many tokens',
      ].join('|'),
      'i',
    ),
    statuses: isOfRequest,
    verdict: { code: 'context_overflow', isRetryable: false },
  },
  {
    pattern: new RegExp(
      [
        'content_filter|content_policy|content management policy|policy_violation|responsible.?ai|safety system|prohibited.content',
        // OpenRouter, OpenAI, Alibaba.
        '\\bmoderation\\b|\\bflagged (?:for|as|by)\\b|(?:input|prompt|content|message) (?:was|is|has been) flagged|flagged_input|data_inspection_failed|inappropriate content|(?:new_)?sensitive (?:content|words|information)|new_sensitive',
        // z.ai, in the language of its place.
        '敏感内容|不安全',
        'blocked by .{0,30}(?:safety|content|policy)',
      ].join('|'),
      'i',
    ),
    statuses: isOfRequest,
    verdict: { code: 'answer_refused', isRetryable: false },
  },
  // A limit on money, not on rate: Anthropic's, OpenAI's, DeepSeek's and OpenRouter's words.
  {
    pattern:
      /spend_limit_reached|insufficient_quota|billing_hard_limit_reached|credit_balance|credit balance is too low|insufficient (?:credit|balance|fund)|billing_error/i,
    // A key may be right, and its account empty.
    statuses: (status) => isOfRequest(status) || status === 401 || status === 429,
    verdict: { ...REFUSED, refusal: 'final' },
  },
  // Gemini answers 400 to a wrong key.
  {
    pattern:
      /invalid_api_key|(?:invalid|incorrect|missing) api.?key|api.?key (?:is )?(?:not valid|not found|invalid|expired)|no auth credentials|\blogin fail/i,
    statuses: (status) => status === 400,
    verdict: { code: 'unauthorized', isRetryable: false, refusal: 'final' },
  },
  {
    pattern: /model_not_found|invalid_model\b|not a valid model|model\b.{0,100}\b(?:does not exist|not found)/i,
    statuses: (status) => status === 400 || status === 404,
    verdict: { ...REFUSED, refusal: 'final' },
  },
  // Of errors without a number.
  { pattern: /rate.?limit|too many requests/i, statuses: () => false, verdict: { code: 'rate_limited', isRetryable: true } },
  { pattern: /\binvalid[ _](?:request|param\w*)\b/i, statuses: () => false, verdict: REFUSED },
]

const LIMITED: Pick<Verdict, 'code'> = { code: 'rate_limited' }

/** A 429 with such words passes, whatever else it says: Gemini's, Codex's, and Alibaba's, which speaks of money and means a minute. */
const WAIT =
  /(?:try again|retry) (?:in|after) \S|retry_?delay|resets? (?:in|after|at) \S|available in \S|per.(?:minute|second)\b|\b[rt]pm\b|concurren|throttling|#token-limit/i

// 403 may be due to the content of one input. A gateway's 404 is about the path, and final too.
const ofStatus = (status: number): Verdict => {
  const isRetryable = status === 408 || status === 409 || status === 429 || status >= 500
  const refusal = status === 401 || status === 402 || status === 404 ? 'final' : status === 403 ? 'doubtful' : undefined
  return { code: codeOf(status), isRetryable, ...(refusal ? { refusal } : {}) }
}

const codeOf = (status: number): Code => {
  if (status < 400) return 'bad_reply'
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 408 || status === 504) return 'timeout'
  if (status === 429) return 'rate_limited'
  return status === 409 || status >= 500 ? 'overloaded' : 'provider_refused'
}

/** Of errors without a number. */
const ERROR_TYPES: ReadonlyMap<string, Verdict> = new Map<string, Verdict>([
  ['rate_limit_error', { ...LIMITED, isRetryable: true }],
  ['rate_limit_exceeded', { ...LIMITED, isRetryable: true }],
  ['insufficient_quota', { ...LIMITED, isRetryable: true }],
  ['timeout_error', { code: 'timeout', isRetryable: true }],
  ['invalid_request_error', REFUSED],
  ['invalid_prompt', REFUSED],
  ['request_too_large', REFUSED],
  ['not_found_error', { ...REFUSED, refusal: 'final' }],
  ['billing_error', { ...REFUSED, refusal: 'final' }],
  ['authentication_error', { code: 'unauthorized', isRetryable: false, refusal: 'final' }],
  ['permission_error', { code: 'unauthorized', isRetryable: false, refusal: 'doubtful' }],
])
