// One attempt: sends a request and reads its reply to the end, within a deadline.

import { type Fault, type Log, nowMs } from '@plumb/wire'
import { apiFailure } from './http/api-error.js'
import type { HttpConnection, HttpRequest } from './http/connection.js'
import { type Deadline, openDeadline } from './http/deadline.js'
import { type Attempt, type Failure, failWith } from './http/failure.js'
import { at, readJson } from './http/json-path.js'
import { type HttpReply, header, readBody, readText } from './http/reply-body.js'
import { serverEvents } from './http/server-events.js'
import { MAX_ERROR_BYTES, MAX_REPLY_BYTES, type Timing } from './http/timing.js'
import { transportFailure } from './http/transport-error.js'
import type { AnswerReader, Finished, Protocol } from './protocol.js'

export interface ExchangeOptions {
  readonly protocol: Pick<Protocol, 'eventsOf'>
  readonly connection: HttpConnection
  readonly host: string
  /** As in `Refused`. */
  readonly keyWords: string
  readonly timing: Timing
  readonly log: Log
}

export const exchange = async (
  { protocol, connection, host, keyWords, timing, log }: ExchangeOptions,
  request: HttpRequest,
  reader: AnswerReader,
  signal: AbortSignal,
): Promise<Attempt<Finished>> => {
  const deadline = openDeadline(signal, timing.totalMs)
  const startMs = nowMs()
  try {
    const reply = await connection.send(request, deadline.signal)
    const { status, headers } = reply
    const request_id = header(headers, 'request-id') || header(headers, 'x-request-id')
    log('api_response', { host, status, ms: Math.round(nowMs() - startMs), ...(request_id === '' ? {} : { request_id }) })
    if (status < 200 || status >= 300) {
      const text = await readText(reply, MAX_ERROR_BYTES, true)
      return { ok: false, failure: apiFailure({ host, keyWords, status, headers, text, wallMs: timing.wallMs() }) }
    }
    const failure = await readReply(reply, reader, protocol, host, deadline)
    return failure ? { ok: false, failure } : { ok: true, value: reader.finish() }
  } catch (error) {
    if (signal.aborted) return failWith('cancelled', 'the answer was dropped on request', false)
    // A connection error after the end of the answer does not matter.
    if (reader.isOver) return { ok: true, value: reader.finish() }
    if (deadline.signal.aborted) return failWith('timeout', `${host} took more than ${timing.totalMs / 1000} s for one reply`, true)
    const failure = transportFailure(host, error)
    if (!failure) throw error
    return { ok: false, failure }
  } finally {
    deadline.clear()
  }
}

const readReply = async (
  reply: HttpReply,
  reader: AnswerReader,
  protocol: Pick<Protocol, 'eventsOf'>,
  host: string,
  deadline: Deadline,
): Promise<Failure | undefined> => {
  // By the reply, not by the request: some servers do not stream, and some stream unasked.
  const isStream = header(reply.headers, 'content-type').startsWith('text/event-stream')
  const failure = isStream
    ? await readStream(serverEvents(readBody(reply, MAX_REPLY_BYTES)), reader, host, deadline)
    : readPlain(await readText(reply, MAX_REPLY_BYTES), reader, protocol, host)
  if (failure || reader.isWhole) return failure
  return failWith('connection_failed', `${host} ended its reply before the answer was whole`, true).failure
}

const LINGER_MS = 1_000

const readStream = async (
  events: AsyncIterable<string>,
  reader: AnswerReader,
  host: string,
  deadline: Deadline,
): Promise<Failure | undefined> => {
  for await (const data of events) {
    // To the end, so that the connection can be reused; but not for long.
    if (reader.isOver) continue
    const event = data === '[DONE]' ? { ok: true as const, value: data } : readJson(data)
    if (!event.ok) return unreadable(host, 'sent an event that is no JSON', event.error)
    const failure = reader.take(event.value)
    if (failure) return failure
    if (reader.isOver) deadline.shorten(LINGER_MS)
  }
  return undefined
}

const readPlain = (text: string, reader: AnswerReader, { eventsOf }: Pick<Protocol, 'eventsOf'>, host: string): Failure | undefined => {
  const reply = readJson(text)
  if (!reply.ok) return unreadable(host, /^\s*</.test(text) ? 'answered with a page of HTML' : 'answered with what is no JSON', reply.error)
  return takeReply(reply.value, reader, { eventsOf }, text)
}

/** A plain reply, parsed, and its text if known. */
export const takeReply = (
  reply: unknown,
  reader: AnswerReader,
  { eventsOf }: Pick<Protocol, 'eventsOf'>,
  text?: string,
): Failure | undefined => {
  const events = at(reply, 'error') ? [reply] : eventsOf(reply, text)
  for (const event of events) {
    const failure = reader.take(event)
    if (failure) return failure
  }
  return undefined
}

/** A reply that ends too soon was cut, and may be complete the next time. */
const unreadable = (host: string, what: string, why: Fault): Failure =>
  why.error === 'truncated_line'
    ? failWith('connection_failed', `${host} broke off in the middle of its reply`, true).failure
    : failWith('bad_reply', `${host} ${what} (${why.detail}); check that endpoint names an API of this kind`, false).failure
