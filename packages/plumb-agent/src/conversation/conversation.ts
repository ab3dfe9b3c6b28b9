// One conversation: an input goes to the provider as the user's message, requested tools are called, the answer is validated, and the
// messages are remembered.

import { type Json, resolve } from '@plumb/lang'
import {
  type Deliveries,
  type Fault,
  fail,
  fault,
  type Log,
  nowMs,
  preview,
  type Result,
  scrub,
  succeed,
  toDollars,
  totalTokens,
} from '@plumb/wire'
import { complaint, isOnlyCut, unreadableComplaint } from '../answer/complaint.js'
import { type ReadAnswer, readAnswer } from '../answer/read.js'
import { withThinkingApart } from '../answer/thinking.js'
import type { AgentConfig } from '../config/config.js'
import type { UserInput } from '../io/intake.js'
import type { Emit } from '../io/telemetry.js'
import type { KeptCalls, KeptQuestion, KeptQuestions } from '../kept/kept-questions.js'
import type { InputOutcome } from '../loop/pending-queue.js'
import type { Effort } from '../provider/effort.js'
import { withDistinctIds } from '../provider/memory-messages.js'
import type { ChatMessage, ModelAnswer, ModelRequest } from '../provider/provider.js'
import type { Tools } from '../tool/tools.js'
import type { Allowance } from './allowance.js'
import { type Billing, countGranted } from './billing.js'
import { ProviderBreaker } from './breaker.js'
import { CallCount } from './call-count.js'
import type { Cancellation } from './cancellation.js'
import { Meter } from './meter.js'
import { Turn, textOfBlocks, toolUsesOf } from './turn.js'

export interface Conversation {
  /** Why no temperature can be set. Undefined: it can. */
  readonly noTemperature: string | undefined
  /** null: back to the spec's. Applies from the next request on, retries and tool rounds included. */
  setTemperature(temperature: number | null): void
  setModel(model: string | null): void
  setEffort(effort: Effort | null): void
  readonly memory: readonly ChatMessage[]
  /** Only between inputs; the system prompt is not part of it. */
  setMemory(messages: readonly ChatMessage[]): void
  /**
   * Resolves to one line of JSON of the output type. A failure leaves no trace in the memory. `seq` is the number of the input, for
   * telemetry.
   */
  answer(input: UserInput, cancellation: Cancellation, seq?: number): Promise<InputOutcome>
}

export interface ConversationOptions {
  /** Emits what each answer adds to the memory. */
  readonly emitsMemory?: boolean
  /** Undefined: calls are not limited. */
  readonly allowance?: Allowance | undefined
  /** The cost of its requests. Undefined: there is no limit. */
  readonly billing?: Billing | undefined
  readonly warn?: (warning: Fault) => void
  /** Kept answers. Undefined: everything is requested. */
  readonly kept?: KeptQuestions | undefined
  /** The deliveries of its inputs, in a run by workers. */
  readonly deliveries?: Deliveries | undefined
  /** The user's message for an input that may contain media. Undefined: it is the input itself. */
  readonly readContent?: ((input: UserInput) => Promise<Result<Json>>) | undefined
}

export const openConversation = (
  config: AgentConfig,
  tools: Tools,
  emitEvent: Emit,
  log: Log,
  surroundings: ConversationOptions = {},
): Conversation => {
  const { emitsMemory = false, allowance, billing, warn, kept, readContent, deliveries } = surroundings
  const { provider, lane, maxRetries, maxToolCalls, isAmnesiac, system, input, output, parallelToolCalls } = config
  const meter = new Meter()
  let memory: ChatMessage[] = [...config.history]
  // The initial memory is recorded with the first answer, unless another memory was set by then.
  let unrecorded = config.history
  let temperature = config.temperature
  let model = config.model
  let effort = config.effort
  const asking = new ProviderBreaker()
  let hasWarnedOfUsage = false
  let hasWarnedOfAway = false
  const conceded = new Set<string>()
  // For a schema that is sent: from then on it is in the prompt too.
  let hasMismatch = false

  const emitAll: Emit = (event) => {
    emitEvent(event)
    if (event.kind === 'retry' && event.away && event.attempt === WARN_AWAY_ATTEMPT && !hasWarnedOfAway) {
      hasWarnedOfAway = true
      warn?.(fault('connection_failed', `${event.reason}; it is tried again for up to a minute`, { agent: config.agent }))
    }
    if (event.kind !== 'concession' || conceded.has(event.what)) return
    conceded.add(event.what)
    warn?.(fault('concession', `the answers are made without ${event.what}: ${event.why}`, { agent: config.agent }))
  }

  const contextNow = (): string => meter.describe({ now: new Date(), history: memory.length, documents: config.documents })

  const settings = () => ({ model, temperature, effort })
  const refused = () => asking.refused

  const compose = (turn: Turn, emit: Emit, billing: Billing | undefined): ModelRequest => ({
    system,
    context: config.hasRuntimeContext ? contextNow() : undefined,
    history: memory,
    turn: turn.messages,
    tools: tools.offers(),
    parallelToolCalls,
    model,
    temperature,
    effort,
    settings,
    refused,
    billing,
    input,
    output,
    schemaInPrompt: config.schemaInPrompt,
    hasMismatch,
    emit,
    log,
  })

  // Thousands of inputs wait for one batch.
  const dropped = (): Said => (lane === 'batch' ? refusedWith(CANCELLED) : { ok: false, error: CANCELLED })

  const ask = async (turn: Turn, emit: Emit, cancellation: Cancellation, delivery: string | undefined): Promise<Said> => {
    const paying = billing && countGranted(billing)
    const apart = withThinkingApart(emit)
    const question = compose(turn, apart.emit, paying?.billing)
    const looked = kept?.ask(question, delivery)
    const before = looked instanceof Promise ? await looked : looked
    if (before?.found) return repeat(before.found, question, before, apart.end)
    if (before?.miss) return { ok: false, error: before.miss }
    if (asking.refused) return refusedWith(asking.refused)
    const denied = allowance && (await allowance.take(cancellation))
    if (cancellation.isCancelled) return dropped()
    if (denied) return { ok: false, error: denied }
    const asked = asking.turn
    log('question', { model, history: memory.length, message: turn.messages.at(-1) })
    const startMs = nowMs()
    const batching =
      lane === 'batch' ? { key: before?.key, directory: before?.directory, emit: emitAll, warn: warn ?? (() => {}) } : undefined
    const coming = provider.answer(batching ? { ...question, batching } : question, cancellation)
    tools.prepare?.()
    const answer = await coming
    if (answer.ok) apart.end()
    const ms = Math.round(nowMs() - startMs)
    if (cancellation.isCancelled) {
      if (answer.ok) allowance?.lose(totalTokens(answer.value.usage))
      return dropped()
    }
    if (!answer.ok && answer.error.error === 'budget_spent' && paying?.granted === 0) allowance?.giveBack()
    before?.keep(answer)
    const error = answer.ok ? undefined : answer.error
    asking.note({ generation: asked, input: turn, error, refusal: answer.ok ? undefined : answer.refusal })
    if (!answer.ok) {
      log('refused', { model: question.model, ms, error: answer.error })
      const isShared = answer.refusal !== undefined && asked === asking.turn && asking.refused
      if (isShared || answer.isShared) return refusedWith(isShared || answer.error)
      return { ok: false, error: answer.error, ...(answer.isOfModel ? { isOfModel: true } : {}) }
    }
    const { usage, estimated, cost, stop, content, model: answering = question.model } = answer.value
    if (estimated !== undefined && !hasWarnedOfUsage) warn?.(fault('usage_unknown', estimated, { agent: config.agent }))
    hasWarnedOfUsage ||= estimated !== undefined
    log('answer', { model: answering, ms, usage, stop, content })
    meter.add(usage)
    allowance?.use(totalTokens(usage))
    emit({
      kind: 'usage',
      ...usage,
      model: answering,
      provider: config.providerName,
      ms,
      ...(lane === 'batch' ? { lane } : {}),
      ...(cost === undefined ? {} : { cost: toDollars(cost) }),
    })
    return { ...answer, calls: before?.callsOf(), keptAs: before?.keptAs }
  }

  // As if it had been requested, but without its cost.
  const repeat = (
    { answered, source }: NonNullable<KeptQuestion['found']>,
    question: ModelRequest,
    kept: KeptQuestion,
    end: () => void,
  ): Said => {
    log('kept', { model: question.model, source, message: question.turn.at(-1) })
    if (!answered.ok) return { ok: false, error: answered.error }
    const { usage, content, model: answering = question.model } = answered.value
    for (const block of content) {
      if (block.type === 'text') question.emit({ kind: 'text', delta: block.text })
      else if (block.type === 'thinking') question.emit({ kind: 'thinking', text: block.thinking })
    }
    end()
    meter.add(usage)
    question.emit({ kind: 'usage', ...usage, model: answering, ms: 0, kept: source })
    return { ...answered, calls: kept.callsOf(), keptAs: kept.keptAs }
  }

  const remember = (messages: readonly ChatMessage[], emit: Emit): void => {
    memory.push(...messages)
    if (emitsMemory) emit({ kind: 'remembered', messages: [...unrecorded, ...messages] })
    unrecorded = []
  }

  // An outcome that is given while what led to it is not kept could count, and the answers be asked for again.
  const answerAndKeep = async (input: UserInput, cancellation: Cancellation, seq?: number): Promise<InputOutcome> => {
    const outcome = await answer(input, cancellation, seq)
    await kept?.flush?.()
    return outcome
  }

  const answer = async (input: UserInput, cancellation: Cancellation, seq?: number): Promise<InputOutcome> => {
    const delivery = seq === undefined ? undefined : deliveries?.of(seq)
    const emit: Emit = seq === undefined ? emitAll : (event) => emitAll({ ...event, seq })
    const message = readContent ? await readContent(input) : succeed(input.text)
    if (cancellation.isCancelled) return { ok: false, error: CANCELLED }
    if (!message.ok) return message
    const turn = new Turn(message.value)
    const count = new CallCount(maxToolCalls)
    let hasBeenCut = false
    let requests = 0
    for (let retries = 0; ; ) {
      requests++
      const said = await ask(turn, emit, cancellation, delivery)
      if (!said.ok) {
        if (!said.isOfModel || retries === maxRetries) return said
        retries++
        emit({ kind: 'retry', attempt: retries, reason: said.error.detail, wait_ms: 0 })
        turn.addComplaint([], unreadableComplaint(said.error))
        continue
      }
      const { stop } = said.value
      const content = withDistinctIds(said.value.content)
      const uses = stop === 'end' || stop === 'tool_use' ? toolUsesOf(content) : []
      if (uses.length > 0) {
        count.add(uses.length)
        const results = await tools.answer(uses, cancellation.signal, emit, { kept: said.calls, count, delivery })
        if (cancellation.isCancelled) return { ok: false, error: CANCELLED }
        if (!results.ok) return results
        if (count.isSpent) return { ok: false, error: count.fault }
        turn.addRound(content, results.value)
        continue
      }
      const read = validateAnswer(said.value, config)
      if (read.ok) {
        const { json, repairs, thinking } = read.value
        if (thinking !== undefined) emit({ kind: 'thinking', text: thinking })
        if (repairs.length > 0) emit({ kind: 'mended', what: repairs.join(', ') })
        if (!isAmnesiac) remember(turn.accepted(content), emit)
        else if (requests === 1 && repairs.length === 0 && !readContent && said.keptAs) emit({ kind: 'kept_as', ...said.keptAs })
        return succeed(json)
      }
      const [isCut, text] = [stop === 'tokens', textOfBlocks(content)]
      if (retries === maxRetries || stop === 'refused' || (isCut && hasBeenCut)) return exhausted(read.error, retries, text)
      hasBeenCut ||= isCut
      hasMismatch ||= !isOnlyCut(stop, text, output)
      retries++
      emit({ kind: 'retry', attempt: retries, reason: read.error.detail, wait_ms: 0 })
      // A cut answer would be paid for again with each request, and invite the model to continue it.
      turn.addComplaint(isCut ? [] : content, complaint(said.value, text, read.error, output))
    }
  }

  return {
    noTemperature: provider.noTemperature,
    setTemperature: (value) => {
      temperature = value ?? config.temperature
    },
    setEffort: (level) => {
      effort = level ?? config.effort
    },
    setModel: (name) => {
      model = name ?? config.model
      asking.resume()
    },
    get memory() {
      return memory
    },
    setMemory: (messages) => {
      memory = [...messages]
      unrecorded = []
      meter.compactions++
    },
    answer: kept?.flush ? answerAndKeep : answer,
  }
}

/** The attempt, after about 4 s, at which a person would ask what the program waits for. */
const WARN_AWAY_ATTEMPT = 4

type Said =
  | { readonly ok: true; readonly value: ModelAnswer; readonly calls: KeptCalls | undefined; readonly keptAs: KeptQuestion['keptAs'] }
  | (InputOutcome & { readonly ok: false; readonly isOfModel?: true })

const refusedWith = (error: Fault): Said => ({ ok: false, error, isShared: true })

const CANCELLED: Fault = fault('cancelled', 'the answer was dropped on request')

// A partial answer is not accepted, even if it has the type, unless the spec accepts partial text.
const validateAnswer = ({ content, stop, isWrapped }: ModelAnswer, { output, maxTokens, keepsCut }: AgentConfig): Result<ReadAnswer> => {
  const text = textOfBlocks(content)
  if (stop === 'refused') return fail('answer_refused', `the provider declined to answer${because(text)}`)
  if (stop !== 'tokens') return readAnswer(text, output, isWrapped)
  const isKept = keepsCut && resolve(output).kind === 'string' && text !== ''
  if (isKept) return succeed({ json: JSON.stringify(text), repairs: [`cut at max_tokens, ${maxTokens}`] })
  const beginning = text.trim() === '' ? '' : `; it begins '${preview(text.trim(), 80)}'`
  return fail('output_type_mismatch', `answer was cut at max_tokens, ${maxTokens}${beginning}`)
}

const because = (text: string): string => (text.trim() === '' ? '' : `: '${preview(text.trim(), 200)}'`)

// `answer`: the beginning of what was not accepted; the whole of it is in the record.
const exhausted = (error: Fault, retries: number, text: string): Result<never> => {
  const { error: code, category: _, detail, ...extras } = error
  const answer = text.trim() === '' ? {} : { answer: preview(scrub(text.trim()), MAX_ANSWER) }
  return fail(code, retries === 0 ? detail : `${detail} (after ${retries} ${retries === 1 ? 'retry' : 'retries'})`, {
    ...extras,
    ...answer,
  })
}

/** In characters. */
const MAX_ANSWER = 300
