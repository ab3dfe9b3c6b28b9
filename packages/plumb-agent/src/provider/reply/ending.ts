// What the reason at the end of a reply means, whatever the API. A server's odd name for one is a row here.

/**
 * `whole`: an answer. `paused`: the provider interrupts it, and goes on with it. `cut`: at a limit of length. `refused`: by a filter, or by the
 * model. `overflow`: what was sent is too long. `malformed`: the server could not read what the model wrote. `broken`: it may succeed when it
 * is asked again.
 */
export type Ending = 'whole' | 'paused' | 'cut' | 'refused' | 'overflow' | 'malformed' | 'broken'

/** Undefined: the server gives no reason. Only names that are known to mean success make a reply whole. */
export const endingOf = (reason: string | undefined): Ending | undefined => {
  const name = plainName(reason ?? '')
  if (NAMELESS.has(name)) return undefined
  return ENDINGS.get(name) ?? ALIKE.find(([words]) => words.test(name))?.[1] ?? 'broken'
}

/** The model wants to call a tool. */
export const isCalling = (reason: string | undefined): boolean => /^(?:(?:tool|function)_|requires_action$)/.test(plainName(reason ?? ''))

// `tool-calls`, `toolUse`, `FinishReason.STOP` and `FINISH_REASON_STOP` are the names that others write otherwise.
const plainName = (reason: string): string =>
  reason
    .trim()
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    .replace(/^finish_?reason[_.]/, '')

/** What servers write before there is a reason, some in each chunk. */
const NAMELESS: ReadonlySet<string> = new Set(['', 'null', 'none', 'unspecified'])

const REASONS: Readonly<Record<Ending, readonly string[]>> = {
  whole: [
    // OpenAI, Anthropic, Gemini (in capitals), Mistral, Together, TGI, z.ai.
    ...['stop', 'end_turn', 'eos', 'eos_token', 'end_of_turn', 'stop_sequence', 'stop_token', 'end', 'complete', 'completed', 'finished'],
    // The last one: gateways to OpenAI's Responses.
    ...['tool_calls', 'tool_call', 'tool_use', 'function_call', 'function_calls', 'requires_action'],
  ],
  paused: ['pause_turn'],
  cut: [
    ...['length', 'max_tokens', 'max_output_tokens', 'max_completion_tokens', 'max_length', 'token_limit'],
    // Mistral; Anthropic and z.ai.
    ...['model_length', 'model_context_window_exceeded'],
  ],
  refused: [
    ...['content_filter', 'content_filtered', 'refusal', 'guardrail_intervened'],
    // z.ai; Gemini's gateways.
    ...['sensitive', 'safety', 'recitation', 'blocklist', 'prohibited_content', 'spii', 'image_safety', 'language'],
  ],
  overflow: ['context_length_exceeded'],
  // Gemini.
  malformed: ['malformed_function_call', 'unexpected_tool_call', 'malformed_tool_use'],
  // vLLM and SGLang, OpenRouter, DeepSeek, z.ai.
  broken: ['error', 'abort', 'aborted', 'cancelled', 'network_error', 'insufficient_system_resource'],
}

const ENDINGS: ReadonlyMap<string, Ending> = new Map(
  Object.entries(REASONS).flatMap(([ending, names]) => names.map((name) => [name, ending as Ending] as const)),
)

/** Of names that nobody has written down yet; none of them is success. */
const ALIKE: readonly (readonly [RegExp, Ending])[] = [
  [/filter|safety|moderat|sensitive|polic(?:y|ies)|prohibited/, 'refused'],
  [/malformed|invalid_(?:tool|function)/, 'malformed'],
  [/max_?\w*tokens|token_limit|max_length|length_limit/, 'cut'],
]
