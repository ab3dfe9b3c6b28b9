// One request to the embedding endpoint: with a deadline, a limit on the reply, no redirects, and retries.

import { setTimeout as wait } from 'node:timers/promises'
import { fail, parseJson, preview, type Result, readBytes, scrub, systemReason } from '@plumb/wire'
import type { Call } from '../../../call/call.js'

const ATTEMPTS = 3
const FIRST_WAIT_MS = 500
const DEADLINE_MS = 30_000
const MAX_REPLY_BYTES = 64 * 1024 * 1024
const MAX_SHOWN_BYTES = 4096

/** The call that it is asked for. */
export type EmbeddingCall = Pick<Call, 'signal' | 'traceparent'>

export const askEndpoint = async (url: URL, key: string, body: string, call: EmbeddingCall): Promise<Result<unknown>> => {
  const { signal } = call
  for (let attempt = 1; ; attempt++) {
    const reply = await askOnce(url, key, body, call)
    if (reply.ok || attempt === ATTEMPTS || reply.error.category !== 'unavailable' || signal.aborted) return reply
    await wait(FIRST_WAIT_MS * 2 ** (attempt - 1), undefined, { signal }).catch(() => {})
  }
}

const askOnce = async (url: URL, key: string, body: string, { signal, traceparent }: EmbeddingCall): Promise<Result<unknown>> => {
  const deadline = AbortSignal.timeout(DEADLINE_MS)
  const both = AbortSignal.any([signal, deadline])
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
    ...(traceparent === undefined ? {} : { traceparent }),
  }
  try {
    const { request } = await import('undici')
    const reply = await request(url, { method: 'POST', headers, body, signal: both })
    // A reply over the limit is cut: it is then invalid JSON, or only shown in an error.
    if (reply.statusCode === 200) return parse(await readBytes(reply.body, MAX_REPLY_BYTES), url)
    return refused(url, reply.statusCode, (await readBytes(reply.body, MAX_SHOWN_BYTES)).toString())
  } catch (error) {
    if (signal.aborted) return fail('cancelled', `the question to the embedding endpoint ${url.host} was cancelled`)
    if (deadline.aborted) return fail('timeout', `the embedding endpoint ${url.host} did not answer within ${DEADLINE_MS / 1000} s`)
    return fail('connection_failed', `the embedding endpoint ${url.host}: ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}

const parse = (bytes: Buffer, url: URL): Result<unknown> => {
  const value = parseJson(bytes, 0, bytes.length, true)
  return value.ok ? value : fail('bad_reply', `the embedding endpoint ${url.host} answered with what is not JSON: ${value.error.detail}`)
}

const refused = ({ host }: URL, status: number, text: string): Result<never> => {
  const said = `the embedding endpoint ${host} answered with status ${status}: ${preview(scrub(text), 200)}`
  if (status === 401 || status === 403) return fail('unauthorized', `${said}; PLUMB_EMBEDDINGS_KEY holds its key`)
  if (status === 429) return fail('rate_limited', said)
  if (status === 408 || status >= 500) return fail('overloaded', said)
  return fail('provider_refused', said)
}
