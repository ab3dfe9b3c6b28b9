// Builds spans from the events of a run: messages in a child, requests to models, tool calls.

import type { CallContext, CallEnvelope } from '@plumb/tool/internal'
import { isCode, isRecord } from '@plumb/wire'
import type { AgentTelemetry, RunEvent, RunListener } from '../event/run-event.js'
import { ChildSpans, countOf, type MessageRef, type MessageSpan } from './message-span.js'
import type { StageTokens } from './stats.js'

/** A request to a model, once it is answered. */
export interface ModelCallSpan {
  readonly process: string
  readonly agent: string
  readonly model: string
  readonly provider: string | undefined
  /** Dollars, where the agent says it. */
  readonly cost: number | undefined
  /** Another model whose prices it has. */
  readonly priceAs: string | undefined
  readonly lane: 'batch' | undefined
  /** Why the answer ended, in the conventions' words. */
  readonly finish: string | undefined
  /** As the server names its reply, and the model that gave it. */
  readonly responseId: string | undefined
  readonly responseModel: string | undefined
  /** Tokens of the output that were thought; 0: unknown. */
  readonly reasoning: number
  /** The key of its conversation, as JSON text. */
  readonly conversation: string | undefined
  /** Milliseconds. */
  readonly start: number
  readonly end: number
  readonly tokens: StageTokens
  /** Which of the kept answers its answer is, in a record. */
  readonly request: string | undefined
  /** The message during which it was made; undefined: unknown. */
  readonly message: MessageRef | undefined
  /** What was said, of a run whose spans have content. */
  readonly exchange: Exchange | undefined
}

export interface Exchange {
  readonly input: readonly unknown[]
  readonly output: readonly unknown[]
}

/** A tool call, once it has ended. */
export interface ToolCallSpan {
  readonly process: string
  readonly agent: string
  readonly id: string
  readonly tool: string
  readonly start: number
  readonly end: number
  readonly isError: boolean
  /** What went wrong, as the agent was told: a code of our table, and words. */
  readonly error: string | undefined
  readonly detail: string | undefined
  readonly input: unknown
  /** The record of the dispatcher in this process; undefined for calls that were answered elsewhere. */
  readonly envelope: CallEnvelope | undefined
  readonly context: CallContext | undefined
  readonly message: MessageRef | undefined
}

/** An answer that was kept, and not requested this time. */
export interface KeptAnswerNote extends Pick<ModelCallSpan, 'process' | 'model' | 'request' | 'message'> {
  readonly source: string
  readonly ms: number
}

/** A retry, a repaired answer, what an answer was made without, or a thought, as the agent reported it. */
export interface AgentNote {
  readonly process: string
  readonly telemetry: AgentTelemetry & { kind: 'retry' | 'mended' | 'concession' | 'thinking' }
  readonly ms: number
  readonly message: MessageRef | undefined
}

/** A request to a model that failed. */
export interface FailedCallSpan extends Pick<ModelCallSpan, 'process' | 'agent' | 'model' | 'start' | 'end' | 'message' | 'conversation'> {
  /** A code of our table. */
  readonly error: string
}

export interface SpanListener {
  message?(span: MessageSpan): void
  modelCall?(call: ModelCallSpan): void
  failedCall?(call: FailedCallSpan): void
  toolCall?(call: ToolCallSpan): void
  keptAnswer?(note: KeptAnswerNote): void
  note?(note: AgentNote): void
}

/** A call that the dispatcher has reported, and the agent not yet. */
interface EarlyCall {
  readonly process: string
  readonly envelope: CallEnvelope
  readonly context: CallContext | undefined
  readonly ms: number
}

/** Those of agents that tell of no end are forgotten. */
const MAX_CONTEXTS = 1000

/** What no agent reports within this time is taken for a call of the message that was begun last. */
const MAX_EARLY_MS = 1000

interface OpenToolCall {
  readonly start: number
  readonly input: unknown
  readonly message: MessageRef | undefined
}

type TelemetryOf<Kind extends AgentTelemetry['kind']> = AgentTelemetry & { kind: Kind }

/** Passes each span to the listener once it has ended. */
export class SpanBuilder implements RunListener {
  readonly #listener: SpanListener
  readonly #children = new Map<string, ChildSpans>()
  readonly #concurrent = new Set<string>()
  /** Calls that an agent has begun, by process, agent and id. */
  readonly #calls = new Map<string, OpenToolCall>()
  /** The messages of these calls, by process and id. */
  readonly #begun = new Map<string, MessageRef | undefined>()
  /** Calls that the dispatcher has reported: the agent will report them too. */
  readonly #reported = new Set<string>()
  /** What a nested plumb has told of calls whose end is told next, by process, agent and id. */
  readonly #contexts = new Map<string, CallContext>()
  /** Of requests whose usage is told next, by process, agent and message. */
  readonly #exchanges = new Map<string, Exchange>()
  /** Of processes that work on several messages at once, by process and id: which of them it is about, their agent tells. */
  readonly #early = new Map<string, EarlyCall[]>()

  constructor(listener: SpanListener) {
    this.#listener = listener
  }

  on(event: RunEvent): void {
    switch (event.kind) {
      case 'begin':
        for (const { name, concurrency = 1 } of event.nodes) if (concurrency > 1) this.#concurrent.add(name)
        break
      case 'spawned':
        this.#children.set(event.process, this.#spansOf(event))
        break
      case 'asked':
        this.#children.get(event.process)?.asked(event)
        break
      case 'answered':
        this.#emitEarly(({ ms }) => event.ms - ms > MAX_EARLY_MS)
        this.#emit(this.#children.get(event.process)?.answered(event))
        break
      case 'refused':
        this.#emit(this.#children.get(event.process)?.refused(event))
        break
      case 'telemetry':
        this.#telemetry(event.process, event.telemetry, event.ms)
        break
      case 'call':
        this.#called(event)
        break
      case 'end':
        this.#emitEarly(() => true)
        for (const child of this.#children.values()) for (const span of child.unfinished(event.ms)) this.#emit(span)
        break
      default:
    }
  }

  #spansOf({ process, runs }: RunEvent & { kind: 'spawned' }): ChildSpans {
    return new ChildSpans(process, runs, this.#concurrent.has(process), this.#listener.message !== undefined)
  }

  #emit(span: MessageSpan | undefined): void {
    if (span) this.#listener.message?.(span)
  }

  #telemetry(process: string, telemetry: AgentTelemetry, ms: number): void {
    const child = this.#children.get(process)
    const message = child?.messageOf(telemetry)
    child?.noteTelemetry(telemetry, ms, countOf(telemetry.ms))
    if (isNote(telemetry)) this.#listener.note?.({ process, telemetry, ms, message })
    const request = telemetry.kind === 'usage' && typeof telemetry.request === 'string' ? telemetry.request : undefined
    // What was answered before was not a request this time.
    if (telemetry.kind === 'usage' && telemetry.kept !== undefined) {
      const model = String(telemetry.model ?? 'unknown')
      this.#listener.keptAnswer?.({ process, model, request, source: String(telemetry.kept), ms, message })
    } else if (telemetry.kind === 'usage') {
      const asked = exchangeKey(process, telemetry)
      const exchange = this.#exchanges.get(asked)
      this.#exchanges.delete(asked)
      this.#listener.modelCall?.({ ...readUsage(process, telemetry, ms), request, message, exchange })
    } else if (telemetry.kind === 'exchange') {
      if (this.#exchanges.size >= MAX_CONTEXTS) this.#exchanges.clear()
      this.#exchanges.set(exchangeKey(process, telemetry), telemetry)
    } else if (telemetry.kind === 'failed') {
      const [agent, model, error] = [telemetry.agent ?? process, telemetry.model ?? 'unknown', telemetry.error ?? '_OTHER'].map(String)
      const start = Math.max(0, ms - countOf(telemetry.ms))
      const of = { process, agent: agent ?? '', model: model ?? '', conversation: textOf(telemetry.conversation) }
      this.#listener.failedCall?.({ ...of, error: error ?? '', start, end: ms, message })
    } else if (telemetry.kind === 'tool_call') {
      this.#calls.set(keyOf(process, String(telemetry.agent ?? process), telemetry.id), { start: ms, input: telemetry.input, message })
      const begun = keyOf(process, '', telemetry.id)
      this.#begun.set(begun, message)
      for (const call of this.#early.get(begun) ?? []) this.#toolCall(call, message)
      this.#early.delete(begun)
    } else if (telemetry.kind === 'tool_span') {
      if (this.#contexts.size >= MAX_CONTEXTS) this.#contexts.clear()
      this.#contexts.set(keyOf(process, String(telemetry.agent), telemetry.id), contextIn(telemetry))
    } else if (telemetry.kind === 'tool_result') this.#returned(process, telemetry, ms)
  }

  // The dispatcher reports more of a call than the agent that waits for it, so its report is preferred.
  #returned(process: string, telemetry: TelemetryOf<'tool_result'>, ms: number): void {
    const { id, is_error: isError, ms: took, error, detail } = telemetry
    const [agent, tool] = [String(telemetry.agent ?? process), String(telemetry.name)]
    const key = keyOf(process, agent, id)
    const call = this.#calls.get(key)
    const context = this.#contexts.get(key)
    this.#calls.delete(key)
    this.#contexts.delete(key)
    this.#begun.delete(keyOf(process, '', id))
    if (this.#reported.delete(keyOf(process, '', id))) return
    const message = call?.message ?? this.#children.get(process)?.messageOf(telemetry)
    const start = call?.start ?? Math.max(0, ms - countOf(took))
    const said = {
      isError,
      error: typeof error === 'string' && isCode(error) ? error : undefined,
      detail: typeof detail === 'string' ? detail : undefined,
      input: call?.input,
      envelope: undefined,
      context,
    }
    this.#listener.toolCall?.({ process, agent, id, tool, start, end: ms, ...said, message })
  }

  #called({ process, call: envelope, context, ms }: RunEvent & { kind: 'call' }): void {
    const { id, depth, parent } = envelope
    if (depth === 0) this.#reported.add(keyOf(process, '', id))
    // A call within calls has the ids of those around it, the outermost first.
    const outermost = depth === 0 ? id : (parent?.split('/', 1)[0] ?? id)
    const call = { process, envelope, context, ms }
    const begun = keyOf(process, '', outermost)
    if (this.#begun.has(begun) || !this.#concurrent.has(process)) return this.#toolCall(call, this.#begun.get(begun))
    this.#early.set(begun, [...(this.#early.get(begun) ?? []), call])
  }

  #emitEarly(isDue: (call: EarlyCall) => boolean): void {
    for (const [key, calls] of this.#early) {
      if (!calls.some(isDue)) continue
      this.#early.delete(key)
      for (const call of calls) this.#toolCall(call, undefined)
    }
  }

  #toolCall({ process, envelope, context, ms }: EarlyCall, known: MessageRef | undefined): void {
    const { id, tool, ok, input, agent = process } = envelope
    const message = known ?? this.#children.get(process)?.messageOf()
    const start = Math.max(0, ms - envelope.ms)
    const { error, detail } = envelope.error ?? { error: undefined, detail: undefined }
    const said = { isError: !ok, error, detail, input, envelope, context, message }
    this.#listener.toolCall?.({ process, agent, id, tool, start, end: ms, ...said })
  }
}

const exchangeKey = (process: string, { agent, seq }: AgentTelemetry): string => keyOf(process, String(agent ?? process), String(seq ?? ''))

// Telemetry of other programs is unchecked.
const readUsage = (
  process: string,
  telemetry: TelemetryOf<'usage'>,
  ms: number,
): Omit<ModelCallSpan, 'request' | 'message' | 'exchange'> => ({
  process,
  agent: String(telemetry.agent ?? process),
  model: String(telemetry.model ?? 'unknown'),
  provider: textOf(telemetry.provider),
  priceAs: textOf(telemetry.price_as),
  cost: isDollars(telemetry.cost) ? telemetry.cost : undefined,
  lane: telemetry.lane === 'batch' ? telemetry.lane : undefined,
  finish: textOf(telemetry.finish),
  responseId: textOf(telemetry.response_id),
  responseModel: textOf(telemetry.response_model),
  reasoning: countOf(telemetry.reasoning_tokens),
  conversation: textOf(telemetry.conversation),
  start: Math.max(0, ms - countOf(telemetry.ms)),
  end: ms,
  tokens: {
    input: countOf(telemetry.input_tokens),
    output: countOf(telemetry.output_tokens),
    cache_read: countOf(telemetry.cache_read_tokens),
    cache_creation: countOf(telemetry.cache_creation_tokens),
  },
})

const contextIn = ({ span, mcp }: TelemetryOf<'tool_span'>): CallContext => ({
  ...(typeof span === 'string' && /^[\da-f]{16}$/.test(span) ? { span } : {}),
  ...(isRecord(mcp) ? { mcp: mcp as unknown as NonNullable<CallContext['mcp']> } : {}),
})

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const isNote = (telemetry: AgentTelemetry): telemetry is AgentNote['telemetry'] =>
  /^(retry|mended|concession|thinking)$/.test(telemetry.kind)

const isDollars = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= MAX_DOLLARS

/** Of one request; what is more is not a cost. */
const MAX_DOLLARS = 1_000_000

const keyOf = (process: string, agent: string, id: string): string => JSON.stringify([process, agent, id])
