// Requests whose replies are JSON, or JSON Lines: one attempt each, within a deadline.

import { type Log, nowMs, startDeadline } from '@plumb/wire'
import { apiFailure } from './api-error.js'
import type { HttpConnection, HttpRequest } from './connection.js'
import { type Attempt, failWith, KeyLacking, Unreadable } from './failure.js'
import { readJson } from './json-path.js'
import { type HttpReply, readBody, readText } from './reply-body.js'
import { MAX_ERROR_BYTES, MAX_REPLY_BYTES, type Timing } from './timing.js'
import { transportFailure } from './transport-error.js'

export interface ApiCalls {
  readonly host: string
  /** As in `ErrorReply`. */
  readonly keyHint: string
  json(request: HttpRequest, signal: AbortSignal): Promise<Attempt<unknown>>
  /** `take` is called with each line of JSON, until it returns that it has enough. A failure: they ended too soon. */
  lines(request: HttpRequest, take: (value: unknown) => 'more' | 'enough', signal: AbortSignal): Promise<Attempt<undefined>>
}

export interface ApiCallsOptions {
  readonly connection: HttpConnection
  readonly host: string
  readonly keyHint: string
  readonly timing: Timing
  readonly log: Log
}

export const openApiCalls = ({ connection, host, keyHint, timing, log }: ApiCallsOptions): ApiCalls => {
  const call = async <T>(
    request: HttpRequest,
    outer: AbortSignal,
    read: (reply: HttpReply) => Promise<Attempt<T>>,
  ): Promise<Attempt<T>> => {
    const { signal, clear } = openDeadline(outer, timing.totalMs)
    const startMs = nowMs()
    try {
      const reply = await connection.send(request, signal)
      const { status, headers } = reply
      log('api_response', { host, path: request.path, status, ms: Math.round(nowMs() - startMs) })
      if (status >= 200 && status < 300) return await read(reply)
      const text = await readText(reply, MAX_ERROR_BYTES, true)
      return { ok: false, failure: apiFailure({ host, keyHint, status, headers, text, wallMs: timing.wallMs() }) }
    } catch (error) {
      if (error instanceof KeyLacking) return { ok: false, failure: { fault: error.fault, isRetryable: false, text: '', isUnbilled: true } }
      if (outer.aborted) return failWith('cancelled', 'the answer was dropped on request', false)
      if (signal.aborted) return failWith('timeout', `${host} took more than ${timing.totalMs / 1000} s for one reply`, true)
      const failure = transportFailure(host, error, connection.proxy)
      if (!failure) throw error
      return { ok: false, failure }
    } finally {
      clear()
    }
  }
  return {
    host,
    keyHint,
    json: (request, signal) =>
      call(request, signal, async (reply) => {
        const value = readJson(await readText(reply, MAX_REPLY_BYTES))
        if (value.ok) return value
        const isCut = value.error.error === 'truncated_line'
        return failWith(isCut ? 'connection_failed' : 'bad_reply', `${host} answered with what is not JSON (${value.error.detail})`, isCut)
      }),
    lines: (request, take, signal) =>
      call(request, signal, async (reply) => {
        for await (const line of linesOf(readBody(reply, Number.POSITIVE_INFINITY))) {
          const value = readJson(line)
          const isCut = !value.ok && value.error.error === 'truncated_line'
          if (isCut) return failWith('connection_failed', `${host} broke off in the middle of the results`, true)
          if (value.ok && take(value.value) === 'enough') break
        }
        return { ok: true, value: undefined }
      }),
  }
}

const LF = 10

/** Without blank lines. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      const line = textOf([...parts, chunk.subarray(start, end)])
      if (line.trim() !== '') yield line
      parts = []
      bytes = 0
      start = end + 1
    }
    parts.push(chunk.subarray(start))
    bytes += chunk.length - start
    if (bytes > MAX_REPLY_BYTES) throw new Unreadable(`wrote a result of more than ${MAX_REPLY_BYTES} bytes`)
  }
  const last = textOf(parts)
  if (last.trim() !== '') yield last
}

const textOf = (parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString('utf8')

// A signal that fires when its time is up, or another one does.
interface Deadline {
  readonly signal: AbortSignal
  clear(): void
}

const openDeadline = (outer: AbortSignal, ms: number): Deadline => {
  const controller = new AbortController()
  const abort = () => controller.abort()
  if (outer.aborted) abort()
  outer.addEventListener('abort', abort)
  const forget = startDeadline(ms, abort)
  return {
    signal: controller.signal,
    clear: () => {
      forget()
      outer.removeEventListener('abort', abort)
    },
  }
}
