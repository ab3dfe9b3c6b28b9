// A provider, for the conversation: one answer to a question. It knows nothing of lines, ports, types of inputs or who runs tools.

import type { Json, Type } from '@plumb/lang'
import type { Fault, Log, Result, TokenCounts } from '@plumb/wire'
import type { Emit } from '../io/telemetry.js'
import type { CallInput } from './call-input.js'
import type { Cancelled } from './cancellation.js'
import type { Effort } from './effort.js'
import type { MediaBlock } from './media-block.js'
import type { MessageFields } from './openai/chat/message-fields.js'
import type { RequestSize } from './request-size.js'

/**
 * One turn of the conversation, in the form that get_memory shows. `content` is text, or a list of blocks; where a memory was set it may
 * be any JSON, which a provider shows to the model as JSON text. Roles other than user and assistant are shown as the user's.
 */
export interface ChatMessage {
  readonly role: string
  readonly content: Json
}

/** Parts of a message. A provider passes parts that it does not know back unchanged (`raw`). */
export type ContentBlock =
  /** `phase`: a label of OpenAI's models for their own texts, which they need again. */
  | { readonly type: 'text'; readonly text: string; readonly phase?: 'commentary' | 'final_answer' }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  /** An `input` that is not JSON is { "invalid_json": TEXT }. `name` is the tool's own, with its colon or dot. */
  | ({ readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly extra_content?: Json } & CallInput)
  /** Members of a message of Chat Completions that its server wants back: see message-fields.ts. */
  | { readonly type: 'chat_fields'; readonly fields: MessageFields }
  /** `content`: text, or a list of blocks as in result-parts.ts. */
  | {
      readonly type: 'tool_result'
      readonly tool_use_id: string
      readonly content: Json
      readonly is_error: boolean
      /** Of a chain, under a protocol: the calls that it has made, by the names of their tools. No provider gets it. */
      readonly calls?: readonly string[]
    }
  | MediaBlock

export type ToolUse = Extract<ContentBlock, { type: 'tool_use' }>
export type ToolResult = Extract<ContentBlock, { type: 'tool_result' }>

/** A tool as a model sees it. */
export interface ToolOffer {
  readonly name: string
  readonly description: string
  /** Always an object schema. */
  readonly input_schema: { readonly [key: string]: Json }
  readonly strict?: boolean
  /** What its server says of all its tools; with the first of them. */
  readonly instructions?: string
}

export interface ModelRequest {
  /** Prompt and documents: the same for all inputs, so that it can be cached. */
  readonly system: string
  /** runtime_context: changes every time, never cached. */
  readonly context: string | undefined
  /** The messages before this input. It grows in place by answers, and is replaced once a memory is set. */
  readonly history: readonly ChatMessage[]
  /** The input as the user's message; after it tool rounds, and on retries each rejected answer with its complaint. */
  readonly turn: readonly ChatMessage[]
  readonly tools: readonly ToolOffer[]
  readonly parallelToolCalls: boolean
  readonly model: string
  readonly temperature: number | undefined
  readonly effort: Effort | undefined
  /** Their current values: read before each retry. */
  readonly settings?: () => Pick<ModelRequest, 'model' | 'temperature' | 'effort'>
  /** The breaker's state: checked before each retry, which is not made then. */
  readonly refused?: () => Fault | undefined
  /** Its usage counts against a budget. Undefined: there is none. */
  readonly billing?: Billing | undefined
  /** The options for lane "batch". */
  readonly batching?: Batching | undefined
  readonly input: Type
  readonly output: Type
  /** `auto`: if the server does not enforce it. */
  readonly schemaInPrompt: boolean | 'auto'
  /** An earlier answer did not have the output type: structured output was not enforced. */
  readonly hasMismatch: boolean
  /** Receives events while it answers: text, thinking, retries. */
  readonly emit: Emit
  readonly log: Log
  /** Asks a person, whose answer it is then, as JSON text. */
  readonly askPerson?: ((question: PersonRequest, signal: AbortSignal) => Promise<Result<string>>) | undefined
  /** Called before each request that is sent; `attempt` over 1: it is tried again. `isWrapped`: it asks for { "value": T }. */
  readonly onAttempt?: ((attempt: number, isWrapped: boolean) => void) | undefined
}

export interface PersonRequest {
  readonly prompt: string
  /** JSON as it came. */
  readonly input: string
  /** JSON Schema of the answer. */
  readonly schema: unknown
  /** What is wrong with an answer, as JSON text. */
  readonly check: (json: string) => Fault | undefined
}

/** The cost of requests: the maximum is reserved before a request is sent, and replaced by the actual cost. */
export interface Billing {
  /** Fault `budget_spent`: the request may not be sent. */
  reserve(size: RequestSize, signal: AbortSignal): Promise<Result<Bill>>
  /** Tokens that a failed request used. */
  lose(tokens: number): void
}

/** The reservation of one request. Call it once the request has ended. */
export interface Bill {
  /** The actual cost in nanodollars, if known. `most`: its usage is unknown, and is not counted elsewhere. */
  settle(used: TokenCounts | 'nothing' | 'most', isReported?: boolean): number | undefined
}

export interface Batching {
  /** Its key in the notes of an earlier run. Undefined: nothing is kept. */
  readonly key: string | undefined
  /** The directory of these notes. */
  readonly directory: string | undefined
  /** Receives events about the batch, not this question. */
  readonly emit: Emit
  readonly warn: (warning: Fault) => void
}

export interface TokenUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_creation_tokens: number
}

export const NO_USAGE: TokenUsage = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_creation_tokens: 0 }

export const addUsage = (a: TokenUsage, b: TokenUsage): TokenUsage => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  cache_read_tokens: a.cache_read_tokens + b.cache_read_tokens,
  cache_creation_tokens: a.cache_creation_tokens + b.cache_creation_tokens,
})

/** What a server says of its reply, for telemetry. */
export interface ReplyFacts {
  readonly id?: string
  /** As the server names it. */
  readonly model?: string
  /** Among the output tokens. */
  readonly reasoning_tokens?: number
}

export interface ModelAnswer {
  /** In the order of the model, thinking included: passed back intact. */
  readonly content: readonly ContentBlock[]
  /** `tokens`: cut at max_tokens. `refused`: the provider's own filter. */
  readonly stop: 'end' | 'tool_use' | 'tokens' | 'refused'
  readonly usage: TokenUsage
  /** Why the usage is an upper bound, and not what was reported. */
  readonly estimated?: string
  /** In nanodollars, if there is a limit of money. */
  readonly cost?: number
  /** The model that answered, if it is not the configured one. */
  readonly model?: string
  /** It was requested as { "value": T }. */
  readonly isWrapped?: boolean
  readonly reply?: ReplyFacts | undefined
}

/**
 * What a failure means for later requests. `final`: each of them would fail likewise. `doubtful`: final if the next input fails with it
 * too, since it may be due to the content of that one.
 */
export type ProviderRefusal = 'final' | 'doubtful'

export type Answered =
  | { readonly ok: true; readonly value: ModelAnswer }
  | {
      readonly ok: false
      readonly error: Fault
      readonly refusal?: ProviderRefusal
      readonly isShared?: true
      /** As in `Failure`. */
      readonly isOfModel?: true
    }

export interface Provider {
  /** What its answers depend on in addition to the question, such as the maximum length; neither keys nor addresses. */
  readonly settings?: { readonly [name: string]: unknown }
  /** Why it accepts no temperature in this configuration. Undefined: it does. */
  readonly noTemperature?: string
  /** Fails with the fault that the input is to have, after all transport retries. Once it is cancelled, whatever it resolves to is dropped. */
  answer(question: ModelRequest, cancelled: Cancelled): Promise<Answered>
  /** Connections that are kept alive are closed. */
  close?(): void
}
