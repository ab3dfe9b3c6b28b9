// What a process reports about itself on fd 3 (plumb-agent(1), Telemetry): one object a line, `kind` first.

import type { Claim } from './claim.js'
import type { Fault } from './error.js'
import type { LineWriter } from './line/writer.js'
import { scrub } from './scrub.js'

export type Telemetry =
  | {
      kind: 'usage'
      input_tokens: number
      output_tokens: number
      cache_read_tokens: number
      cache_creation_tokens: number
      model: string
      ms: number
      /** As the agent names it. */
      provider?: string
      /** In dollars, if there is a limit of money. */
      cost?: number
      /** The model whose prices it has, if not its own. */
      price_as?: string
      /** For half the price. */
      lane?: 'batch'
      /** Why the answer ended: `stop`, `tool_call`, `length` or `content_filter`. */
      finish?: string
      /** As the server names its reply, and the model that gave it. */
      response_id?: string
      response_model?: string
      /** Among the output tokens, where the server counts them. */
      reasoning_tokens?: number
      /** Of an agent with a memory for each conversation: its key, as JSON text. */
      conversation?: string
      /** It is paused now. */
      paused?: true
      /** It was answered before, and cost nothing now: where the answer is from. */
      kept?: 'cache' | 'record'
      /** Of a run that is recorded: which of the kept answers it is, `HASH NTH PLACE`. */
      request?: string
    }
  /** What the agent is told before its messages, and which tools it is offered; again once that has changed. Of a run that is recorded, or whose spans have content. */
  | { kind: 'prompt'; system: string; tools: readonly { readonly name: string; readonly description: string }[] }
  /** A request to a model, and its answer, as the conventions of OpenTelemetry have messages; before its usage. Of a run whose spans have content. */
  | { kind: 'exchange'; input: readonly unknown[]; output: readonly unknown[] }
  /** From an agent elsewhere: may it make another call? Answered on its port `spec`. */
  | { kind: 'budget'; ask: number; claim?: Claim }
  /** And what it asked for has ended: what it has cost, in nanodollars; `lost`: its usage is reported nowhere else; `back`: it was granted
   *  as a call, and is none, since no request was sent. */
  | { kind: 'budget'; paid: number; cost: number; tokens: number; lost?: true; back?: true }
  | { kind: 'text'; delta: string }
  /** The part of an answer that has come, and the JSON Pointers of what may still grow. Without `value` an attempt begins. */
  | { kind: 'partial'; value?: unknown; open: readonly string[] }
  | { kind: 'thinking'; text: string }
  | { kind: 'mended'; what: string }
  /** The answer was made without something that the model or its server refused. */
  | { kind: 'concession'; what: string; why: string }
  /** The state of a batch of requests, in the provider's own word; `done` of its `requests` are answered. `over`: it has ended. */
  | { kind: 'batch'; id: string; status: string; requests: number; done: number; over?: true }
  | ({ kind: 'tool_call'; id: string; name: string; input: unknown } & InnerCall)
  /** `ms`: without the time in which a person was asked. `detail`: of an error, what it says, at most 300 characters. */
  | ({
      kind: 'tool_result'
      id: string
      name: string
      is_error: boolean
      ms: number
      bytes: number
      error?: string
      detail?: string
    } & InnerCall)
  /** The span of a call that has ended, for a parent that sends it, and how a server of MCP was asked. */
  | { kind: 'tool_span'; id: string; span?: string; mcp?: unknown }
  /** A call that was announced on ctrl_out no longer waits for a decision. `input` is what a person has put in the place of its own. */
  | { kind: 'approval'; id: string; name: string; outcome: ApprovalOutcome; input?: unknown }
  /** `away`: no server is there, or one that is still loading its model; `told`: what a model was told about its answer, of a run that is recorded. */
  | { kind: 'retry'; attempt: number; reason: string; wait_ms: number; away?: true; told?: string }
  /** A request to a model that failed, whether it is made again or not. */
  | { kind: 'failed'; model: string; error: string; ms: number; conversation?: string }
  | { kind: 'output'; value: unknown }
  | ({ kind: 'error' } & Fault)
  /** A program has so many inputs in hand, and has told nothing for a long time: it may hold its output back. */
  | { kind: 'silent'; inputs: number; ms: number }
  /** What an answer added to the memory; emitted if a parent records it. `conversation`: its key, as JSON text. */
  | { kind: 'remembered'; messages: readonly unknown[]; conversation?: string }
  | Settled

/** Members of a call within another: that one's id, and the depth. */
interface InnerCall {
  parent?: string
  depth?: number
}

/** Members of an event about one input. */
export interface OfInput {
  /** The number of the agent's input, from 1. */
  readonly seq: number
  /** Of an output or an error: how long answering took. */
  readonly ms: number
  /** Of an output or an error: how long it then waited for those of earlier inputs; absent if it did not wait. */
  readonly held_ms: number
}

/** `edited`: a person gave it another input, and it is asked about again; `unheard`: control ended before. */
export type ApprovalOutcome = 'approved' | 'denied' | 'edited' | 'timeout' | 'cancelled' | 'unheard'

/**
 * The first `inputs` inputs and `controls` control messages are settled, and `outputs` outputs were written for them. Numbered lines say which
 * input an output answers; this is for readers of telemetry alone.
 */
export interface Settled {
  kind: 'settled'
  inputs: number
  controls: number
  outputs: number
  /** The number of control replies written for these; absent before the first. */
  replies?: number
  /** The number of errors written on stderr, as objects, before this; absent before the first. */
  errors?: number
  /** It takes no inputs until it is resumed. */
  paused?: true
}

/** Takes telemetry, a line each. */
export type TelemetryLines = Pick<LineWriter, 'write' | 'writeText'>

export class TelemetryWriter {
  readonly #writer: LineWriter | null
  readonly #agent: string

  /** `writer` null: nothing is emitted. */
  constructor(writer: LineWriter | null, agent: string) {
    this.#writer = writer
    this.#agent = agent
  }

  get isOn(): boolean {
    return this.#writer !== null
  }

  emit(telemetry: Telemetry): void {
    this.#writer?.writeText(scrub(JSON.stringify({ ...telemetry, agent: this.#agent, time: new Date().toISOString() })))
  }
}
