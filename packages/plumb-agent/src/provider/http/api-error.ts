// The failure of an attempt, of a status other than 2xx, or of an error in the middle of a reply.

import { fault, preview, scrub } from '@plumb/wire'
import { judge } from '../reply/judge.js'
import { type ServerWords, wordsOf, wordsOfBody } from '../reply/server-words.js'
import { type Failure, failWith, type ReplyFailures } from './failure.js'
import { type HttpReply, header } from './reply-body.js'

export interface ErrorReply {
  /** The host, as errors name it. */
  readonly host: string
  /** The error for a refused key: "did not accept the key in NAME". */
  readonly keyHint: string
  readonly status: number
  readonly headers: HttpReply['headers']
  readonly text: string
  readonly wallMs: number
}

export const apiFailure = (refused: ErrorReply): Failure => {
  const { host, keyHint, status, headers, wallMs } = refused
  const words = wordsOfBody(refused.text)
  const retryAfterMs = readRetryAfter(headers, wallMs)
  const { code, isRetryable, refusal, isOfModel } = judge(words, status, retryAfterMs !== undefined)
  const id = header(headers, 'request-id') || header(headers, 'x-request-id')
  const extras = {
    status,
    ...(retryAfterMs === undefined ? {} : { retry_after: retryAfterMs / 1000 }),
    ...(id === '' ? {} : { request_id: preview(id) }),
  }
  const isOfKey = code === 'unauthorized'
  return {
    fault: fault(code, `${host} ${isOfKey ? `${keyHint} (${status})${textAfter(words)}` : detailOf(status, words, headers)}`, extras),
    isRetryable: isOfModel ? false : isWorthRetrying(status, header(headers, 'x-should-retry'), isRetryable),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    text: words.all,
    isUnbilled: true,
    // The message of llama.cpp and vLLM while they start.
    isAway: status === 503 && /\bloading\b/i.test(words.all),
    ...(refusal ? { refusal } : {}),
    ...(isOfModel ? { isOfModel } : {}),
  }
}

const detailOf = (status: number, words: ServerWords, headers: HttpReply['headers']): string => {
  if (status >= 300 && status < 400)
    return (
      `answered ${status} and points to ${preview(withoutQuery(header(headers, 'location')), 120)}: keys are ` +
      'not sent on, so name that place as endpoint if it is the right one'
    )
  const hint = status === 404 ? '; check the model and the endpoint' : ''
  return `answered ${status}${textAfter(words)}${hint}`
}

const textAfter = ({ text }: ServerWords): string => (text === '' ? '' : `: ${preview(withoutKeys(text), 300)}`)

// Before cutting: half a key would not be recognised. Servers show keys in part themselves, as sk-abc***xyz.
const withoutKeys = (words: string): string =>
  scrub(words).replace(/\S+/g, (word) => (word.includes('***') || /^\W*[sp]k-/.test(word) ? '***' : word))

const withoutQuery = (location: string): string => {
  const url = URL.canParse(location) ? new URL(location) : undefined
  return url ? `${url.origin}${url.pathname}` : (location.split(/[?#]/, 1)[0] ?? '')
}

const isWorthRetrying = (status: number, shouldRetry: string, isRetryable: boolean): boolean => {
  if (shouldRetry === 'true') return status >= 400
  return shouldRetry === 'false' ? false : isRetryable
}

/** What `readers` make of errors within a reply, and of one that is not whole. */
export const replyFailures = (host: string, keyHint: string, did = 'broke off its reply'): ReplyFailures => ({
  ofError: (error) => {
    const words = wordsOf(error)
    const { code, isRetryable, refusal, isOfModel } = judge(words, undefined)
    return {
      fault: fault(code, `${host} ${code === 'unauthorized' ? keyHint : did}${textAfter(words)}`),
      isRetryable,
      text: words.all,
      ...(refusal ? { refusal } : {}),
      ...(isOfModel ? { isOfModel } : {}),
    }
  },
  ofBroken: (what) => failWith('connection_failed', `${host} ${what}`, true).failure,
})

/** Above it our own backoff applies, as in the official SDKs. */
const MAX_RETRY_AFTER_MS = 60_000

/** Undefined if the header is absent, invalid, 0, in the past or asks for more than a minute. */
export const readRetryAfter = (headers: HttpReply['headers'], wallMs: number): number | undefined => {
  const ms = asNumber(header(headers, 'retry-after-ms')) ?? seconds(header(headers, 'retry-after'), wallMs)
  return ms !== undefined && ms > 0 && ms <= MAX_RETRY_AFTER_MS ? ms : undefined
}

const seconds = (text: string, wallMs: number): number | undefined => {
  const number = asNumber(text)
  if (number !== undefined) return number * 1000
  // Only texts that begin like a day, since Date.parse accepts nearly anything.
  return /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) - wallMs : undefined
}

const asNumber = (text: string): number | undefined => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined)
