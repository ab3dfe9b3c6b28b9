// One attempt: sends a request and reads its reply to the end, within a deadline.
//
//   phase       until                              at the deadline
//   reading     the answer is whole, or fails      late
//   lingering   the connection ends: LINGER_MS     late, and the answer is given all the same
//   late        the connection has broken off      -
//   done        -                                  -

import { type Fault, type Log, nowMs, startDeadline } from '@plumb/wire'
import type { Cancelled } from './cancellation.js'
import { apiFailure } from './http/api-error.js'
import type { HttpConnection, HttpRequest } from './http/connection.js'
import type { ReplyListener } from './http/dispatched.js'
import { type Attempt, type Failure, failWith, Unreadable } from './http/failure.js'
import { readTolerantly } from './http/json-path.js'
import { type HttpReply, header, textOf } from './http/reply-body.js'
import { areEvents, areJsonLines, END, ServerEvents } from './http/server-events.js'
import { MAX_ERROR_BYTES, MAX_REPLY_BYTES, type Timing } from './http/timing.js'
import { transportFailure } from './http/transport-error.js'
import type { AnswerReader, Finished, Protocol } from './protocol.js'
import { answerWithin, errorIn } from './reply/server-words.js'

export interface ExchangeOptions {
  readonly protocol: Pick<Protocol, 'eventsOf'>
  readonly connection: Pick<HttpConnection, 'dispatch' | 'proxy'>
  readonly host: string
  /** As in `Refused`. */
  readonly keyHint: string
  readonly timing: Timing
  readonly log: Log
}

export const exchange = (
  options: ExchangeOptions,
  request: HttpRequest,
  reader: AnswerReader,
  cancelled: Cancelled,
): Promise<Attempt<Finished>> =>
  new Promise((resolve, reject) => {
    new Exchange(options, reader, cancelled, resolve, reject).start(request)
  })

const LINGER_MS = 1_000

class Exchange implements ReplyListener {
  readonly #o: ExchangeOptions
  readonly #reader: AnswerReader
  readonly #cancelled: Cancelled
  readonly #resolve: (attempt: Attempt<Finished>) => void
  readonly #reject: (bug: unknown) => void
  readonly #startMs = nowMs()
  #giveUp: (why: Error) => void = () => {}
  #clearDeadline = (): void => {}
  #stopListening = (): void => {}
  #phase: 'reading' | 'lingering' | 'late' | 'done' = 'reading'
  #hasEvents = false
  /** Its head, once that has come. */
  #status = 0
  #headers: HttpReply['headers'] = {}
  /** By what came, not by what was requested, nor by what it is called: some servers do not stream, and some do without a request for it. */
  #events: ServerEvents | undefined
  #chunks: Buffer[] = []
  #bytes = 0

  constructor(
    options: ExchangeOptions,
    reader: AnswerReader,
    cancelled: Cancelled,
    resolve: (attempt: Attempt<Finished>) => void,
    reject: (bug: unknown) => void,
  ) {
    this.#o = options
    this.#reader = reader
    this.#cancelled = cancelled
    this.#resolve = resolve
    this.#reject = reject
  }

  start(request: HttpRequest): void {
    const { connection, timing } = this.#o
    if (this.#cancelled.isCancelled) return this.#done(CANCELLED)
    this.#stopListening = this.#cancelled.listen(() => this.#giveUp(new Error('cancelled')))
    this.#clearDeadline = startDeadline(timing.totalMs, this.#late)
    this.#giveUp = connection.dispatch(request, this)
  }

  onHead(status: number, headers: HttpReply['headers']): void {
    const { host, log } = this.#o
    this.#status = status
    this.#headers = headers
    const request_id = header(headers, 'request-id') || header(headers, 'x-request-id')
    log('api_response', { host, status, ms: Math.round(nowMs() - this.#startMs), ...(request_id === '' ? {} : { request_id }) })
  }

  onData(chunk: Buffer): void {
    if (this.#isDone) return
    this.#bytes += chunk.length
    if (this.#isRefused && this.#bytes > MAX_ERROR_BYTES) return this.#stop(this.#refusal())
    // By decoded bytes: a gzip bomb of 200 KB would pass any other limit.
    if (this.#bytes > MAX_REPLY_BYTES) throw new Unreadable(`answered with more than ${MAX_REPLY_BYTES} bytes`)
    if (this.#chunks.length === 0 && !this.#events && !this.#isRefused && this.#isStream(chunk)) this.#events = new ServerEvents()
    if (this.#events) this.#take(this.#events.take(chunk))
    else this.#chunks.push(chunk)
  }

  // Some servers call a stream by another type, and some a plain error a stream.
  #isStream(chunk: Buffer): boolean {
    return areEvents(chunk) ?? header(this.#headers, 'content-type').toLowerCase().startsWith('text/event-stream')
  }

  onEnd(): void {
    if (this.#isDone) return
    if (this.#isRefused) return this.#done(this.#refusal())
    const { protocol, host } = this.#o
    // The first piece may have been too short to show what it is.
    const body = this.#events ? undefined : Buffer.concat(this.#chunks)
    if (body && (areEvents(body) === true || areJsonLines(body))) {
      this.#events = new ServerEvents()
      this.#take(this.#events.take(body))
      if (this.#isDone) return
    }
    if (this.#events) this.#take(this.#events.end())
    else {
      const failure = readPlain(this.#text, this.#reader, protocol, host)
      if (failure) this.#done({ ok: false, failure })
    }
    if (this.#isDone) return
    this.#done(this.#reader.finish())
  }

  onError(error: unknown): void {
    if (this.#isDone) return
    if (this.#isRefused) return this.#done(this.#refusal())
    const { host, timing } = this.#o
    if (this.#cancelled.isCancelled) return this.#done(CANCELLED)
    // How a connection ends after the end of the answer does not matter to the answer.
    if (this.#reader.isOver) return this.#done(this.#reader.finish())
    if (this.#phase === 'late')
      return this.#done(failWith('timeout', `${host} took more than ${timing.totalMs / 1000} s for one reply`, true))
    const failure = transportFailure(host, error, this.#o.connection.proxy)
    if (failure) return this.#done({ ok: false, failure })
    this.#leave()
    this.#reject(error)
  }

  get #isDone(): boolean {
    return this.#phase === 'done'
  }

  get #isRefused(): boolean {
    return this.#status !== 0 && (this.#status < 200 || this.#status >= 300)
  }

  get #text(): string {
    return textOf(this.#chunks)
  }

  #take(events: readonly string[]): void {
    for (const data of events) {
      // To the end, so that the connection can be kept; but not for long.
      if (this.#reader.isOver) return
      const failure = takeEvent(data, this.#reader, this.#o.host, this.#hasEvents)
      this.#hasEvents = true
      if (failure) return this.#stop({ ok: false, failure })
    }
    if (!this.#reader.isOver || this.#phase !== 'reading') return
    this.#phase = 'lingering'
    // As a rule it has ended by then.
    queueMicrotask(() => this.#linger())
  }

  #linger(): void {
    if (this.#isDone) return
    this.#clearDeadline()
    this.#clearDeadline = startDeadline(LINGER_MS, this.#late)
  }

  #refusal(): Attempt<Finished> {
    const { host, keyHint, timing } = this.#o
    const [status, headers, text] = [this.#status, this.#headers, this.#text]
    return { ok: false, failure: apiFailure({ host, keyHint, status, headers, text, wallMs: timing.wallMs() }) }
  }

  readonly #late = (): void => {
    this.#phase = 'late'
    this.#giveUp(new Error('late'))
  }

  /** What else comes is not read. */
  #stop(attempt: Attempt<Finished>): void {
    const giveUp = this.#giveUp
    this.#done(attempt)
    giveUp(new Error('not read any further'))
  }

  #done(attempt: Attempt<Finished>): void {
    this.#leave()
    this.#resolve(attempt)
  }

  #leave(): void {
    this.#phase = 'done'
    this.#clearDeadline()
    this.#stopListening()
    this.#giveUp = () => {}
  }
}

const CANCELLED = failWith('cancelled', 'the answer was dropped on request', false)

const takeEvent = (data: string, reader: AnswerReader, host: string, isLater: boolean): Failure | undefined => {
  if (data === END) return reader.take(data)
  const event = readTolerantly(data)
  return event.ok ? reader.take(event.value) : unreadable(host, 'sent an event that is not JSON', event.error, isLater)
}

const readPlain = (whole: string, reader: AnswerReader, { eventsOf }: Pick<Protocol, 'eventsOf'>, host: string): Failure | undefined => {
  const first = readTolerantly(whole)
  const text = first.ok ? whole : withoutEvents(whole)
  const reply = text === whole ? first : readTolerantly(text)
  if (!reply.ok)
    return unreadable(host, /^\s*</.test(text) ? 'answered with a page of HTML' : 'answered with what is not JSON', reply.error)
  return takeReply(reply.value, reader, { eventsOf }, text)
}

// Some gateways put the end of a stream behind a plain reply, which says itself whether it is whole.
const withoutEvents = (text: string): string => {
  const [, reply = text] = /^(\s*\{[\s\S]*?\})\s*data:\s*(?:\{|\[DONE\])/.exec(text) ?? []
  return readTolerantly(reply).ok ? reply : text
}

/** A plain reply, parsed, and its text if known. */
export const takeReply = (
  reply: unknown,
  reader: AnswerReader,
  { eventsOf }: Pick<Protocol, 'eventsOf'>,
  text?: string,
): Failure | undefined => {
  const answer = answerWithin(reply)
  const error = errorIn(answer)
  const events = error ? [{ error }] : eventsOf(answer, answer === reply ? text : undefined)
  for (const event of events) {
    const failure = reader.take(event)
    if (failure) return failure
  }
  return undefined
}

/** A reply that ends too soon was cut, and may be complete the next time; so may one that was readable before. */
const unreadable = (host: string, what: string, why: Fault, isLater = false): Failure =>
  why.error === 'truncated_line'
    ? failWith('connection_failed', `${host} broke off in the middle of its reply`, true).failure
    : failWith('bad_reply', `${host} ${what} (${why.detail}); check that endpoint names an API of this kind`, isLater).failure
