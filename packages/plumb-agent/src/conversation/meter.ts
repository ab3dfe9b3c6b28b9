// What a conversation has cost so far, and the words that tell the model of it (runtime_context).

import type { Usage } from '../provider/provider.js'

export interface Standing {
  readonly now: Date
  /** Messages remembered. */
  readonly history: number
  /** The files of `prompts`. */
  readonly documents: readonly string[]
}

export class Meter {
  /** Accepted set_memory. */
  compactions = 0
  #calls = 0
  #usage: Usage = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_creation_tokens: 0 }

  add(usage: Usage): void {
    this.#calls++
    this.#usage = {
      input_tokens: this.#usage.input_tokens + usage.input_tokens,
      output_tokens: this.#usage.output_tokens + usage.output_tokens,
      cache_read_tokens: this.#usage.cache_read_tokens + usage.cache_read_tokens,
      cache_creation_tokens: this.#usage.cache_creation_tokens + usage.cache_creation_tokens,
    }
  }

  describe({ now, history, documents }: Standing): string {
    const { input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens } = this.#usage
    const pinned = documents.length === 0 ? '0' : `${documents.length} (${documents.join(', ')})`
    return [
      '<runtime_context>',
      `time: ${now.toISOString()}`,
      `tokens so far: ${input_tokens} in, ${output_tokens} out, cache ${cache_read_tokens} read, ${cache_creation_tokens} created`,
      `API calls so far: ${this.#calls}`,
      `messages in history: ${history}`,
      `pinned documents: ${pinned}`,
      `compaction cycles: ${this.compactions}`,
      '</runtime_context>',
    ].join('\n')
  }
}
