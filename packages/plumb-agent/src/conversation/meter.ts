// Counts the use of a conversation, and describes it to the model (runtime_context).

import { type Fault, fault } from '@plumb/wire'
import type { KeptQuestion, KeptQuestions } from '../kept/kept-questions.js'
import { addUsage, NO_USAGE, type ReplyFacts, type TokenUsage } from '../provider/provider.js'

export interface Standing {
  readonly now: Date
  /** Messages in memory. */
  readonly history: number
  /** The files of `prompts`. */
  readonly documents: readonly string[]
}

export class Meter {
  /** The number of accepted set_memory. */
  compactions = 0
  #calls = 0
  #usage = NO_USAGE

  add(usage: TokenUsage): void {
    this.#calls++
    this.#usage = addUsage(this.#usage, usage)
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

/** Counts the tool calls of one input, against `max_tool_calls`. */
export class CallCount {
  #own = 0
  #inner = 0
  #isPast = false

  constructor(private readonly max: number) {}

  /** Counts the calls of one answer: all of them are made, even beyond the limit. */
  add(calls: number): void {
    this.#own += calls
  }

  /** Called before each call inside a chain, which ends at the limit. */
  readonly takeInner = (): Fault | undefined => {
    if (this.#own + this.#inner >= this.max) {
      this.#isPast = true
      return this.fault
    }
    this.#inner++
    return undefined
  }

  /** No further answer is requested. */
  get isSpent(): boolean {
    return this.#isPast || this.#own >= this.max
  }

  get fault(): Fault {
    const { max } = this
    return fault('tool_limit', `tools were called ${max} times or more for this message, which is the limit of 'max_tool_calls'`)
  }
}

/** What telemetry has of a reply beside its usage; `price_as`: the model whose prices it has. */
export const factsToTell = ({ id, model, reasoning_tokens, price_as }: ReplyFacts & { readonly price_as: string | undefined }) => ({
  ...(price_as === undefined ? {} : { price_as }),
  ...(id === undefined ? {} : { response_id: id }),
  ...(model === undefined ? {} : { response_model: model }),
  ...(reasoning_tokens === undefined ? {} : { reasoning_tokens }),
})

/** Why a reply has ended, in the words of telemetry. */
export const FINISH = { end: 'stop', tool_use: 'tool_call', tokens: 'length', refused: 'content_filter' } as const

/** Where records have requests: which one it was. */
export const keyIn = (question: KeptQuestion | undefined, kept: KeptQuestions | undefined): { readonly request?: string } =>
  question && kept?.isRecorded ? { request: question.key } : {}
