// A provider over HTTP, whatever its API: questions become requests, and only whole answers
// come out. What may be tried again, and where, from the outside to the inside:
//
//   loop             file                      goes round when                                   at most
//   answer           conversation.ts           the answer does not fit the output type           max_retries times
//   tool round       conversation.ts           the model calls tools                             max_tool_calls calls
//   interruption     chat.ts, answer           the provider interrupts its answer                MAX_INTERRUPTIONS times
//   concession       chat.ts, ask              a request is refused for a feature it uses        once a feature and model
//   transport        http/retry.ts             a failure may pass: network, 429, 5xx             transport_retries times, with growing waits
//   attempt          exchange.ts               never: one request, one reply                     timing.totalMs

import { isDeepStrictEqual } from 'node:util'
import { type Account, fail, fault, isRecord, type Log, nowMs, type ProviderLane, succeed, totalTokens } from '@plumb/wire'
import { version } from '../../package.json'
import { writeBody } from '../io/written-json.js'
import type { BatchLane } from './batch/lane.js'
import type { Cancelled } from './cancellation.js'
import { checkUsage } from './check-usage.js'
import { Concessions } from './concessions.js'
import { exchange, takeReply } from './exchange.js'
import { replyFailures } from './http/api-error.js'
import { type HttpConnection, openConnection } from './http/connection.js'
import { isProviderItself } from './http/endpoint.js'
import type { Attempt, Failure, ReplyFailures } from './http/failure.js'
import { withKeys } from './http/keyed-connection.js'
import { asRefusedMedia } from './http/refused-media.js'
import { retryRequest } from './http/retry.js'
import type { Timing } from './http/timing.js'
import { type Keys, orCancelled } from './keys.js'
import { formatOf, systemText } from './output-schema.js'
import { presetOf } from './presets.js'
import { type AnswerReader, asJson, type Finished, type Protocol } from './protocol.js'
import { type Answered, addUsage, type ModelAnswer, type ModelRequest, type Provider } from './provider.js'
import { mediaOf, toolNamesOf } from './read-message.js'
import { sizeOf } from './request-size.js'
import { ToolForms } from './tool-forms.js'
import { type WireNames, wireNames } from './wire-names.js'

export interface ChatSettings {
  readonly account: Account
  readonly endpoint: URL
  readonly keys: Keys
  readonly maxTokens: number
  readonly thinkingBudget: number | undefined
  readonly isStreaming: boolean
  readonly lane: ProviderLane
  readonly maxRetries: number
  /** Merged into every body. */
  readonly patch: unknown
  readonly timing: Timing
}

/** Within one answer. */
const MAX_INTERRUPTIONS = 16

/** The last body that was sent, needed to interpret a refusal. */
interface Sent extends Composed {
  readonly question: ModelRequest
}

interface Try {
  readonly attempt: number
  /** Whether another key may be asked for. */
  readonly renewal: { isLeft: boolean }
}

interface InBatch extends Sent {
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly cancelled: Cancelled
}

interface Composed {
  readonly body: unknown
  readonly isWrapped: boolean
}

/** `names`: of tools, in the API's form. */
interface Ask {
  readonly question: ModelRequest
  readonly names: WireNames
  readonly cancelled: Cancelled
}

export const openChat = (protocol: Protocol, settings: ChatSettings): Provider => new HttpProvider(protocol, settings)

class HttpProvider implements Provider {
  readonly #protocol: Protocol
  readonly #settings: ChatSettings
  readonly #isStreaming: boolean
  readonly #host: string
  readonly #connection: HttpConnection
  readonly #keyHint: string
  readonly #concessions: Concessions
  readonly #tools: ToolForms
  readonly #failures: ReplyFailures
  #opened: Promise<BatchLane> | undefined

  constructor(protocol: Protocol, settings: ChatSettings) {
    this.#protocol = protocol
    this.#settings = settings
    const { account, endpoint, keys, timing, isStreaming, lane } = settings
    this.#isStreaming = isStreaming && lane === 'now'
    this.#host = endpoint.host
    this.#connection = openConnection(endpoint, timing)
    this.#keyHint = keys.hint
    this.#concessions = new Concessions(protocol, presetOf(account.name))
    this.#tools = new ToolForms(protocol.dialect)
    this.#failures = replyFailures(this.#host, this.#keyHint)
  }

  close(): void {
    this.#connection.close()
  }

  async answer(question: ModelRequest, cancelled: Cancelled): Promise<Answered> {
    const refused = mediaOf(question.turn.slice(0, 1))
      .map(this.#protocol.refusesMedia)
      .find((why) => why !== undefined)
    if (refused !== undefined) return fail('unsupported_media', refused)
    let asked = question
    let answer: ModelAnswer | undefined
    for (let interruptions = 0; ; interruptions++) {
      const result = await this.#ask(asked, cancelled)
      if (!result.ok) {
        if (answer) question.billing?.lose(totalTokens(answer.usage))
        return toAnswered(result.failure)
      }
      const { isPaused = false, ...part } = result.value
      answer = answer ? joinAnswers(answer, part) : part
      if (!isPaused) return succeed(answer)
      if (interruptions === MAX_INTERRUPTIONS) return fail('bad_reply', `${this.#host} interrupted its answer ${MAX_INTERRUPTIONS} times`)
      asked = { ...question, turn: [...question.turn, { role: 'assistant', content: asJson(answer.content) }] }
    }
  }

  #compose(question: ModelRequest, names: WireNames, without?: string): Composed {
    const downgrades = new Set(this.#concessions.without(question.model))
    if (without !== undefined) downgrades.add(without)
    const isPlain = downgrades.has('plain_output') || (downgrades.has('plain_with_tools') && question.tools.length > 0)
    const format = isPlain ? undefined : formatOf(question.output, this.#protocol.dialect)
    const { account, endpoint, maxTokens, thinkingBudget, patch } = this.#settings
    const system = systemText(question, format, isProviderItself(account, endpoint))
    const effort = this.#concessions.effortFor(question)
    const options = { maxTokens, thinkingBudget, isStreaming: this.#isStreaming, names, downgrades, system, format, effort }
    const body = this.#protocol.bodyOf({ ...question, tools: this.#tools.of(question.tools) }, options)
    const isPatched = !isRecord(patch) || Object.keys(patch).length > 0
    return { body: isPatched ? mergePatch(body, patch) : body, isWrapped: format?.isWrapped === true }
  }

  #headersOf(body: unknown, key: string | undefined): Readonly<Record<string, string>> {
    return {
      'content-type': 'application/json',
      accept: this.#isStreaming ? 'text/event-stream' : 'application/json',
      'user-agent': `plumb-agent/${version}`,
      ...this.#keyHeaders(key, body),
    }
  }

  #keyHeaders(key: string | undefined, body: unknown): Readonly<Record<string, string>> {
    const { header } = this.#settings.keys
    if (header === undefined || key === undefined) return this.#protocol.headersOf(key, body)
    return { ...this.#protocol.headersOf(undefined, body), [header]: key }
  }

  /** Without what the body decides. */
  #keyAlone(key: string | undefined): Readonly<Record<string, string>> {
    const others = this.#protocol.headersOf(undefined, {})
    return Object.fromEntries(Object.entries(this.#keyHeaders(key, {})).filter(([name]) => !Object.hasOwn(others, name)))
  }

  #callsWith(log: Log) {
    return { connection: this.#connection, host: this.#host, keyHint: this.#keyHint, timing: this.#settings.timing, log }
  }

  async #openBatches({ log, batching }: ModelRequest): Promise<BatchLane> {
    const { openBatchLane } = await import('./batch/open.js')
    const { endpoint, maxRetries, keys } = this.#settings
    const [protocol, headers] = [this.#protocol, this.#headersOf({}, undefined)]
    // A batch takes longer than a key may be valid: each of its requests asks for one.
    const connection = withKeys(this.#connection, keys, (key) => this.#keyAlone(key))
    const calls = { ...this.#callsWith(log), connection }
    return openBatchLane({ protocol, endpoint, headers, calls, maxRetries, directory: batching?.directory })
  }

  async #ask(asked: ModelRequest, cancelled: Cancelled): Promise<Attempt<Finished>> {
    const names = wireNames([...asked.tools.map(({ name }) => name), ...toolNamesOf([...asked.history, ...asked.turn])])
    for (let question = asked; ; question = withCurrentSettings(asked)) {
      this.#concessions.reportEffort(question)
      this.#tools.report(question)
      const { result, sent } = await this.#send({ question, names, cancelled })
      const { model } = sent.question
      if (result.ok) {
        const answering = model === asked.model ? {} : { model }
        const isWrapped = result.value.isWrapped ?? sent.isWrapped
        return { ok: true, value: { ...result.value, ...answering, ...(isWrapped ? { isWrapped } : {}) } }
      }
      const refused = {
        question: sent.question,
        changesWithout: (feature: string) => !isDeepStrictEqual(this.#compose(sent.question, names, feature).body, sent.body),
      }
      const hint = hintFor(this.#protocol, result.failure)
      if (hint !== undefined) return { ok: false, failure: withHint(result.failure, hint) }
      if (cancelled.isCancelled) return result
      const hasLess = this.#tools.learn(sent.question, result.failure, sent.body, names)
      if (!hasLess && !this.#concessions.learn(refused, result.failure)) return result
    }
  }

  /** Each retry takes the settings of its time. */
  async #send({ question, names, cancelled }: Ask): Promise<{ result: Attempt<Finished>; sent: Sent }> {
    const { maxRetries, timing } = this.#settings
    const renewal = { isLeft: true }
    let sent: Sent = { question, ...this.#compose(question, names) }
    const result = await retryRequest<Finished>(
      async (attempt) => {
        const refused = attempt === 1 ? undefined : question.refused?.()
        if (refused) return { ok: false, failure: { fault: refused, isRetryable: false, text: '', refusal: 'final' } }
        if (attempt > 1) {
          const current = withCurrentSettings(question)
          sent = { question: current, ...this.#compose(current, names) }
        }
        return this.#post(sent, { attempt, renewal }, names, cancelled)
      },
      { maxRetries, timing, cancelled, onRetry: (event) => question.emit({ kind: 'retry', ...event }) },
    )
    return { result, sent }
  }

  async #post(sent: Sent, { attempt, renewal }: Try, names: WireNames, cancelled: Cancelled): Promise<Attempt<Finished>> {
    const { question, body } = sent
    const { model, log, billing, batching } = question
    const { endpoint, maxTokens, lane } = this.#settings
    const path = this.#protocol.pathOf(endpoint)
    const text = writeBody(body)
    const bytes = Buffer.byteLength(text)
    if (lane === 'batch') this.#opened ??= this.#openBatches(question)
    const batches = await this.#opened
    const isPaid = batches?.isNoted(batching?.key) === true
    const reserve = async () => billing?.reserve(sizeOf(body, text, question), cancelled.signal)
    const bill = isPaid || !billing ? undefined : await (batches ? batches.sequentially(reserve) : reserve())
    if (bill?.ok === false) return { ok: false, failure: { fault: bill.error, isRetryable: false, text: '' } }
    log('api_request', { url: `${endpoint.origin}${path}`, model, attempt, bytes, body })
    const openReader = () => this.#protocol.openReader(question, names, this.#failures)
    const startMs = nowMs()
    const result = batches
      ? await this.#askInBatch(batches, { ...sent, headers: this.#headersOf(body, undefined), text, cancelled }, openReader())
      : await this.#askNow(sent, { path, text, attempt, renewal, cancelled }, openReader)
    if (!result.ok) {
      bill?.value.settle(result.failure.isUnbilled ? 'nothing' : 'most')
      const { error } = result.failure.fault
      if (!cancelled.isCancelled) question.emit({ kind: 'failed', model, error, ms: Math.round(nowMs() - startMs) })
      return { ok: false, failure: asRefusedMedia(result.failure, text) }
    }
    const checked = checkUsage(result.value.usage, { host: this.#host, bytes, maxTokens, isLimited: billing !== undefined })
    const cost = bill?.value.settle(checked.usage, checked.estimated === undefined)
    return { ok: true, value: { ...result.value, ...checked, ...(cost === undefined ? {} : { cost }) } }
  }

  /** With another key where the first one is refused, once for a question. */
  async #askNow(
    { question, body, isWrapped }: Sent,
    { path, text, attempt, renewal, cancelled }: Try & { readonly path: string; readonly text: string; readonly cancelled: Cancelled },
    openReader: () => AnswerReader,
  ): Promise<Attempt<Finished>> {
    const { keys } = this.#settings
    for (;;) {
      const given = keys.get()
      const key = given instanceof Promise ? await orCancelled(given, cancelled) : given
      if (!key.ok) return { ok: false, failure: { fault: key.error, isRetryable: false, text: '', isUnbilled: true } }
      const options = { protocol: this.#protocol, ...this.#callsWith(question.log) }
      const request = { path, headers: this.#headersOf(body, key.value), body: text }
      question.onAttempt?.(attempt, isWrapped)
      const result = await exchange(options, request, openReader(), cancelled)
      const isRefused = !result.ok && result.failure.fault.error === 'unauthorized' && (result.failure.fault.status ?? 401) === 401
      if (!isRefused || !keys.refuse(key.value) || !renewal.isLeft || cancelled.isCancelled) return result
      renewal.isLeft = false
    }
  }

  async #askInBatch(batches: BatchLane, asked: InBatch, reader: AnswerReader): Promise<Attempt<Finished>> {
    const { question, isWrapped, headers, text, cancelled } = asked
    const { key, emit = question.emit, warn = () => {} } = question.batching ?? {}
    const replied = await batches.ask({ key, body: text, headers, model: question.model, isWrapped, signal: cancelled.signal, emit, warn })
    if (!replied.ok) return replied
    const failure = takeReply(replied.value.reply, reader, this.#protocol)
    if (failure) return { ok: false, failure }
    const finished = reader.finish()
    return finished.ok ? { ok: true, value: { ...finished.value, isWrapped: replied.value.isWrapped } } : finished
  }
}

const hintFor = ({ hints }: Protocol, { fault, text: words }: Failure): string | undefined =>
  fault.error === 'provider_refused' ? hints.find((one) => one.words.test(words))?.hint : undefined

const withHint = (failure: Failure, hint: string): Failure => {
  const { error, category: _, detail, ...extras } = failure.fault
  return { ...failure, fault: fault(error, `${detail}; ${hint}`, extras) }
}

const toAnswered = ({ fault, refusal, isShared, isOfModel }: Failure): Answered => ({
  ok: false,
  error: fault,
  ...(refusal ? { refusal } : {}),
  ...(isShared ? { isShared } : {}),
  ...(isOfModel ? { isOfModel } : {}),
})

const withCurrentSettings = (question: ModelRequest): ModelRequest => ({ ...question, ...question.settings?.() })

/** A merge patch (RFC 7396): null removes a member. */
export const mergePatch = (target: unknown, patch: unknown): unknown => {
  if (!isRecord(patch)) return patch
  const merged = new Map(Object.entries(isRecord(target) ? target : {}))
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key)
    else merged.set(key, mergePatch(merged.get(key), value))
  }
  return Object.fromEntries(merged)
}

const joinAnswers = (first: ModelAnswer, next: ModelAnswer): ModelAnswer => {
  const estimated = next.estimated ?? first.estimated
  const reasoning = (first.reply?.reasoning_tokens ?? 0) + (next.reply?.reasoning_tokens ?? 0)
  const reply = reasoning > 0 ? { reply: { ...next.reply, reasoning_tokens: reasoning } } : {}
  const joined = { ...next, content: [...first.content, ...next.content], usage: addUsage(first.usage, next.usage), ...reply }
  const cost = first.cost === undefined && next.cost === undefined ? {} : { cost: (first.cost ?? 0) + (next.cost ?? 0) }
  return estimated === undefined ? { ...joined, ...cost } : { ...joined, ...cost, estimated }
}
