// What the servers of the presets take in another way than OpenAI, from their documents and from reports: by the names of downgrades, which
// other servers come to by a refusal.

const PRESETS: Readonly<Record<string, readonly string[]>> = {
  // They ignore `max_completion_tokens`, or did until lately: an answer had no limit.
  ollama: ['max_tokens'],
  lmstudio: ['max_tokens'],
  llamacpp: ['max_tokens'],
  vllm: ['max_tokens'],
  // Their documents have the old name alone.
  deepseek: ['max_tokens', 'fill_reasoning'],
  together: ['max_tokens'],
  fireworks: ['max_tokens'],
  openrouter: ['max_tokens'],
  // It refuses every member that it does not know. Usage comes with the last chunk, unasked.
  mistral: ['max_tokens', 'no_stream_options', 'short_ids'],
}

export const presetOf = (name: string): ReadonlySet<string> | undefined => {
  const without = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined
  return without && new Set(without)
}
