// One conversation: an input goes to the provider as the user's message, requested tools are called, the answer is validated, and the
// messages are remembered.

import { type Identity, type Json, jsonOfKey, type Type } from '@plumb/lang'
import type { Walk } from '@plumb/tool/protocol/walk'
import { type Deliveries, type Fault, fault, type Log, nowMs, type Result, succeed, toDollars, totalTokens } from '@plumb/wire'
import type { Partials } from '../answer/partials.js'
import type { ReadAnswer } from '../answer/read.js'
import { withThinkingApart } from '../answer/thinking.js'
import type { AgentConfig } from '../config/config.js'
import type { UserInput } from '../io/intake.js'
import type { Emit } from '../io/telemetry.js'
import type { KeptQuestion, KeptQuestions } from '../kept/kept-questions.js'
import type { Cancellation } from '../provider/cancellation.js'
import type { Effort } from '../provider/effort.js'
import { withDistinctIds } from '../provider/memory-messages.js'
import type { Answered, Billing, ChatMessage, ModelAnswer, ModelRequest } from '../provider/provider.js'
import { withInstructions } from '../tool/server-instructions.js'
import type { Tools } from '../tool/tools.js'
import type { Allowance } from './allowance.js'
import { countGranted } from './billing.js'
import { ProviderBreaker } from './breaker.js'
import { exhausted, validateAnswer } from './final-answer.js'
import { Memories, type Memory } from './memories.js'
import { CallCount, FINISH, factsToTell, keyIn, Meter } from './meter.js'
import { CANCELLED, refusedWith, type Said } from './said.js'
import { exchangeOf } from './told-exchange.js'
import { complaint, isOnlyCut, Turn, textOfBlocks, toolUsesOf, unfinishedComplaint, unreadableComplaint } from './turn.js'

/** The line to write, or why there is none; `isShared`: other inputs fail with the same error object. */
export type InputOutcome =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly error: Fault; readonly isShared?: true }

export interface Conversation {
  /** Why no temperature can be set. Undefined: it can. */
  readonly noTemperature: string | undefined
  /** null: back to the spec's. Applies from the next request on, retries and tool rounds included. */
  setTemperature(temperature: number | null): void
  setModel(model: string | null): void
  setEffort(effort: Effort | null): void
  /** It has a memory for each conversation. Else it has one, and `conversation` is undefined. */
  readonly hasConversations: boolean
  memoryOf(conversation?: Identity): readonly ChatMessage[]
  /** Only between inputs; the system prompt is not part of it. `goesOn`: what was said, in other words, and not another conversation. */
  setMemory(messages: readonly ChatMessage[], conversation?: Identity, goesOn?: boolean): void
  /** Nothing is left of what was said, nor of a refusal. */
  beginAfresh(): void
  /**
   * Resolves to one line of JSON of the output type. A failure leaves no trace in the memory. `seq` is the number of the input, for
   * telemetry. Of inputs of one conversation only one is answered at a time.
   */
  answer(input: UserInput, cancellation: Cancellation, seq?: number): Promise<InputOutcome>
}

export interface ConversationOptions {
  /** Emits what each answer adds to the memory. */
  readonly emitsMemory?: boolean
  /** Emits what stands before the messages. */
  readonly tellsPrompt?: boolean
  /** Emits the text of kept answers. */
  readonly emitsText?: boolean
  /** Undefined: calls are not limited. */
  readonly allowance?: Allowance | undefined
  /** The cost of its requests. Undefined: there is no limit. */
  readonly billing?: Billing | undefined
  readonly warn?: (warning: Fault) => void
  /** Kept answers. Undefined: everything is requested. */
  readonly kept?: KeptQuestions | undefined
  /** Tells answers while they grow. Undefined: it does not. */
  readonly openPartials?: ((output: Type, emit: Emit) => Partials) | undefined
  /** Asks a person. Undefined: its provider asks none. */
  readonly askPerson?: ModelRequest['askPerson']
  /** The deliveries of its inputs, in a run by workers. */
  readonly deliveries?: Deliveries | undefined
  /** A walk of the agent's protocol for one input. Undefined: it has none. */
  readonly beginWalk?: ((memory: Memory) => Walk) | undefined
  /** The user's message for an input that may contain media. Undefined: it is the input itself. */
  readonly readContent?: ((input: UserInput) => Promise<Result<Json>>) | undefined
}

export const openConversation = (
  config: AgentConfig,
  tools: Tools,
  emit: Emit,
  log: Log,
  surroundings: ConversationOptions = {},
): Conversation => new ProviderConversation(config, tools, emit, log, surroundings)

class ProviderConversation implements Conversation {
  readonly #config: AgentConfig
  readonly #tools: Tools
  readonly #emitEvent: Emit
  readonly #log: Log
  readonly #surroundings: ConversationOptions
  readonly #meter = new Meter()
  readonly #memories: Memories
  #temperature: number | undefined
  #model: string
  #effort: Effort | undefined
  readonly #asking = new ProviderBreaker()
  #hasWarnedOfUsage = false
  #hasWarnedOfAway = false
  readonly #conceded = new Set<string>()
  // For a schema that is sent: from then on it is in the prompt too.
  #hasMismatch = false
  // The last that was emitted, for a record.
  #toldPrompt = ''

  constructor(config: AgentConfig, tools: Tools, emitEvent: Emit, log: Log, surroundings: ConversationOptions) {
    this.#config = config
    this.#tools = tools
    this.#emitEvent = emitEvent
    this.#log = log
    this.#surroundings = surroundings
    this.#memories = new Memories(config)
    this.#temperature = config.temperature
    this.#model = config.model
    this.#effort = config.effort
  }

  get noTemperature(): string | undefined {
    return this.#config.provider.noTemperature
  }

  setTemperature(value: number | null): void {
    this.#temperature = value ?? this.#config.temperature
  }

  setEffort(level: Effort | null): void {
    this.#effort = level ?? this.#config.effort
  }

  setModel(name: string | null): void {
    this.#model = name ?? this.#config.model
    this.#asking.resume()
  }

  get hasConversations(): boolean {
    return this.#config.conversations !== undefined
  }

  memoryOf(conversation?: Identity): readonly ChatMessage[] {
    return this.#memories.messagesOf(conversation)
  }

  setMemory(messages: readonly ChatMessage[], conversation?: Identity, goesOn?: boolean): void {
    this.#memories.set(messages, conversation, goesOn)
    this.#meter.compactions++
  }

  beginAfresh(): void {
    this.#memories.forget()
    this.#asking.resume()
  }

  // An outcome that is given while what led to it is not kept could count, and the answers be requested again.
  async answer(input: UserInput, cancellation: Cancellation, seq?: number): Promise<InputOutcome> {
    const memory = this.#memories.use(this.#config.isAmnesiac ? undefined : input.conversation)
    const outcome = await this.#answer(input, cancellation, seq, memory).finally(() => this.#memories.rest(memory))
    const { kept } = this.#surroundings
    if (kept?.flush) await kept.flush()
    return outcome
  }

  readonly #emitAll: Emit = (event) => {
    this.#emitEvent(event)
    if (event.kind === 'retry' && event.away && event.attempt === WARN_AWAY_ATTEMPT && !this.#hasWarnedOfAway) {
      this.#hasWarnedOfAway = true
      const detail = `${event.reason}; it is tried again, 15 s for each of transport_retries`
      this.#surroundings.warn?.(fault('connection_failed', detail, { agent: this.#config.agent }))
    }
    if (event.kind !== 'concession' || this.#conceded.has(event.what)) return
    this.#conceded.add(event.what)
    this.#surroundings.warn?.(
      fault('concession', `the answers are made without ${event.what}: ${event.why}`, { agent: this.#config.agent }),
    )
  }

  #contextNow({ messages }: Memory): string {
    return this.#meter.describe({ now: new Date(), history: messages.length, documents: this.#config.documents })
  }

  #compose(turn: Turn, emit: Emit, billing: Billing | undefined, partials: Partials | undefined): ModelRequest {
    const { hasRuntimeContext, parallelToolCalls, input, output, schemaInPrompt } = this.#config
    const settings = () => ({ model: this.#model, temperature: this.#temperature, effort: this.#effort })
    const tools = this.#tools.offers(turn.walk)
    return {
      // A protocol changes what is offered, and not the prompt.
      system: withInstructions(this.#config.system, turn.walk ? this.#tools.offers() : tools),
      context: hasRuntimeContext ? this.#contextNow(turn.memory) : undefined,
      history: turn.memory.messages,
      turn: turn.messages,
      tools,
      parallelToolCalls,
      ...settings(),
      settings,
      refused: () => this.#asking.refused,
      billing,
      input,
      output,
      schemaInPrompt,
      hasMismatch: this.#hasMismatch,
      emit,
      log: this.#log,
      askPerson: this.#surroundings.askPerson,
      ...(partials ? { onAttempt: partials.onAttempt() } : {}),
    }
  }

  // Thousands of inputs wait for one batch.
  #dropped(): Said {
    return this.#config.lane === 'batch' ? refusedWith(CANCELLED) : { ok: false, error: CANCELLED }
  }

  async #ask({ turn, emit, cancellation, delivery, partials }: Asking): Promise<Said> {
    const { billing, kept, allowance } = this.#surroundings
    const paying = billing && countGranted(billing)
    const apart = withThinkingApart(partials?.emit ?? emit)
    const question = this.#compose(turn, apart.emit, paying?.billing, partials)
    const looked = kept?.ask(question, delivery)
    const before = looked instanceof Promise ? await looked : looked
    if (kept?.isRecorded || this.#surroundings.tellsPrompt) this.#tellPrompt(question)
    if (before?.found) return this.#repeat(before.found, question, before, apart.end)
    if (before?.miss) return { ok: false, error: before.miss }
    if (this.#asking.refused) return refusedWith(this.#asking.refused)
    const denied = allowance && (await allowance.take(cancellation))
    if (cancellation.isCancelled) return this.#dropped()
    if (denied) return { ok: false, error: denied }
    const asked = this.#asking.turn
    this.#log('question', { model: this.#model, history: turn.memory.messages.length, message: turn.messages.at(-1) })
    const startMs = nowMs()
    const answer = await this.#request(question, before, cancellation)
    if (answer.ok) apart.end()
    const ms = Math.round(nowMs() - startMs)
    if (cancellation.isCancelled) {
      if (answer.ok) allowance?.lose(totalTokens(answer.value.usage))
      return this.#dropped()
    }
    if (!answer.ok && answer.error.error === 'budget_spent' && paying?.granted === 0) allowance?.giveBack()
    before?.keep(answer)
    const error = answer.ok ? undefined : answer.error
    this.#asking.note({ generation: asked, input: turn, error, refusal: answer.ok ? undefined : answer.refusal })
    if (!answer.ok) {
      this.#log('refused', { model: question.model, ms, error: answer.error })
      const isShared = answer.refusal !== undefined && asked === this.#asking.turn && this.#asking.refused
      if (isShared || answer.isShared) return refusedWith(isShared || answer.error)
      return { ok: false, error: answer.error, ...(answer.isOfModel ? { isOfModel: true } : {}) }
    }
    if (this.#surroundings.tellsPrompt) emit(exchangeOf(question, answer.value))
    this.#count(answer.value, question, ms, keyIn(before, kept))
    return { ...answer, calls: before?.callsOf() }
  }

  #request(question: ModelRequest, kept: KeptQuestion | undefined, cancellation: Cancellation): Promise<Answered> {
    const { provider, lane } = this.#config
    const { warn = () => {} } = this.#surroundings
    const batching = lane === 'batch' ? { key: kept?.key, directory: kept?.directory, emit: this.#emitAll, warn } : undefined
    const coming = provider.answer(batching ? { ...question, batching } : question, cancellation)
    this.#tools.prepare?.()
    return coming
  }

  /** What an answer took: for the log, the budget and telemetry. */
  #count(
    { usage, estimated, cost, stop, content, model: answering, reply = {} }: ModelAnswer,
    { model, emit }: ModelRequest,
    ms: number,
    request: object,
  ): void {
    const { agent, providerName, lane, priceAs } = this.#config
    if (estimated !== undefined && !this.#hasWarnedOfUsage) this.#surroundings.warn?.(fault('usage_unknown', estimated, { agent }))
    this.#hasWarnedOfUsage ||= estimated !== undefined
    this.#log('answer', { model: answering ?? model, ms, usage, stop, content })
    this.#meter.add(usage)
    this.#surroundings.allowance?.use(totalTokens(usage))
    emit({
      kind: 'usage',
      ...usage,
      model: answering ?? model,
      provider: providerName,
      ms,
      finish: FINISH[stop],
      ...factsToTell({ ...reply, price_as: priceAs?.(model) }),
      ...(lane === 'batch' ? { lane } : {}),
      ...(cost === undefined ? {} : { cost: toDollars(cost) }),
      ...request,
    })
  }

  /** What the model sees before its messages: once, and again where its tools have changed. */
  #tellPrompt({ system, tools, emit }: ModelRequest): void {
    const prompt = { system, tools: tools.map(({ name, description }) => ({ name, description })) }
    const text = JSON.stringify(prompt)
    if (text === this.#toldPrompt) return
    this.#toldPrompt = text
    emit({ kind: 'prompt', ...prompt })
  }

  // As if it had been requested, but without its cost.
  #repeat({ answered, source }: NonNullable<KeptQuestion['found']>, question: ModelRequest, kept: KeptQuestion, end: () => void): Said {
    this.#log('kept', { model: question.model, source, message: question.turn.at(-1) })
    if (!answered.ok) return { ok: false, error: answered.error }
    const { usage, content, model: answering = question.model } = answered.value
    for (const block of content) {
      if (block.type === 'text' && this.#surroundings.emitsText !== false) question.emit({ kind: 'text', delta: block.text })
      if (block.type === 'thinking') question.emit({ kind: 'thinking', text: block.thinking })
    }
    end()
    this.#meter.add(usage)
    question.emit({ kind: 'usage', ...usage, model: answering, ms: 0, kept: source, ...keyIn(kept, this.#surroundings.kept) })
    return { ...answered, calls: kept.callsOf() }
  }

  #recorded<T extends object>(members: T): T | undefined {
    return this.#surroundings.kept?.isRecorded ? members : undefined
  }

  /** Each event has the number of the input; requests to the model, the conversation too. */
  #emitFor({ conversation }: UserInput, seq: number | undefined): Emit {
    const numbered: Emit = seq === undefined ? this.#emitAll : (event) => this.#emitAll({ ...event, seq })
    if (conversation === undefined) return numbered
    const key = jsonOfKey(conversation)
    return (event) => numbered(event.kind === 'usage' || event.kind === 'failed' ? { ...event, conversation: key } : event)
  }

  async #answer(input: UserInput, cancellation: Cancellation, seq: number | undefined, memory: Memory): Promise<InputOutcome> {
    const delivery = seq === undefined ? undefined : this.#surroundings.deliveries?.of(seq)
    const emit = this.#emitFor(input, seq)
    const message = this.#surroundings.readContent ? await this.#surroundings.readContent(input) : succeed(input.text)
    if (cancellation.isCancelled) return { ok: false, error: CANCELLED }
    if (!message.ok) return message
    const turn = new Turn(message.value, memory, this.#surroundings.beginWalk?.(memory))
    const count = new CallCount(this.#config.maxToolCalls)
    const partials = this.#surroundings.openPartials?.(this.#config.output, emit)
    let hasBeenCut = false
    for (let retries = 0, asked = 0; ; asked++) {
      partials?.begin(retries > 0 && asked === retries)
      const said = await this.#ask({ turn, emit, cancellation, delivery, partials })
      partials?.stop()
      if (!said.ok) {
        if (!said.isOfModel || retries === this.#config.maxRetries) return said
        retries++
        const told = unreadableComplaint(said.error)
        emit({ kind: 'retry', attempt: retries, reason: said.error.detail, wait_ms: 0, ...this.#recorded({ told }) })
        turn.addComplaint([], told)
        continue
      }
      const { stop } = said.value
      const content = withDistinctIds(said.value.content)
      const uses = stop === 'end' || stop === 'tool_use' ? toolUsesOf(content) : []
      if (uses.length > 0) {
        count.add(uses.length)
        const { walk } = turn
        const results = await this.#tools.answer(uses, cancellation.signal, emit, { kept: said.calls, count, delivery, walk })
        if (cancellation.isCancelled) return { ok: false, error: CANCELLED }
        if (!results.ok) return results
        const over = count.isSpent ? count.fault : walk?.stuck
        if (over) return { ok: false, error: over }
        turn.addRound(content, results.value)
        continue
      }
      const valid = validateAnswer(said.value, this.#config)
      // What was cut, or refused, is no answer before it is early.
      const unfinished = stop === 'end' || valid.ok ? turn.walk?.unfinished : undefined
      const read: Result<ReadAnswer> = unfinished ? { ok: false, error: unfinished } : valid
      if (read.ok) {
        const { json, repairs, thinking } = read.value
        if (thinking !== undefined) emit({ kind: 'thinking', text: thinking })
        if (repairs.length > 0) emit({ kind: 'mended', what: repairs.join(', ') })
        if (!this.#config.isAmnesiac) memory.add(turn.accepted(content), this.#surroundings.emitsMemory ? emit : undefined)
        memory.at = turn.walk?.at
        partials?.end(json)
        return succeed(json)
      }
      const [isCut, text] = [stop === 'tokens', textOfBlocks(content)]
      if (retries === this.#config.maxRetries || stop === 'refused' || (isCut && hasBeenCut)) return exhausted(read.error, retries, text)
      hasBeenCut ||= isCut
      this.#hasMismatch ||= !unfinished && !isOnlyCut(stop, text, this.#config.output)
      retries++
      const told = unfinished ? unfinishedComplaint(unfinished) : complaint(said.value, text, read.error, this.#config.output)
      emit({ kind: 'retry', attempt: retries, reason: read.error.detail, wait_ms: 0, ...this.#recorded({ told }) })
      // A cut answer would be paid for again with each request, and invite the model to continue it.
      turn.addComplaint(isCut ? [] : content, told)
    }
  }
}

interface Asking {
  readonly turn: Turn
  readonly emit: Emit
  readonly cancellation: Cancellation
  readonly delivery: string | undefined
  readonly partials: Partials | undefined
}

/** The attempt, after about 4 s, at which a person would ask what the program waits for. */
const WARN_AWAY_ATTEMPT = 4
