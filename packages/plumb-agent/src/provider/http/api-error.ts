// The meaning of a status other than 2xx, or of an error in the middle of a stream.

import { type Code, fault, preview, scrub } from '@plumb/wire'
import type { ProviderRefusal } from '../provider.js'
import type { Failure } from './failure.js'
import { readJson, textAt } from './json-path.js'
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
  const words = textOf(refused.text)
  const code = isOverflow(status, refused.text) ? 'context_overflow' : codeOfStatus(status)
  const refusal = refusalOf(status, refused.text)
  const retryAfterMs = readRetryAfter(headers, wallMs)
  const id = header(headers, 'request-id') || header(headers, 'x-request-id')
  const extras = {
    status,
    ...(retryAfterMs === undefined ? {} : { retry_after: retryAfterMs / 1000 }),
    ...(id === '' ? {} : { request_id: preview(id) }),
  }
  return {
    fault: fault(code, `${host} ${detailOf(status, words, keyHint, header(headers, 'location'))}`, extras),
    isRetryable: isWorthRetrying(status, header(headers, 'x-should-retry'), refused.text),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    text: words,
    isUnbilled: true,
    // The message of llama.cpp and vLLM while they start.
    isAway: status === 503 && /\bloading\b/i.test(words),
    ...(refusal ? { refusal } : {}),
  }
}

// 403 may be due to the content of one input; 429 is about the rate, unless there is no money left. A gateway's 404 is about the path, and
// final too.
const refusalOf = (status: number, text: string): ProviderRefusal | undefined => {
  if (status === 401 || status === 402 || status === 404) return 'final'
  if (status === 403) return 'doubtful'
  return status === 429 && NO_MONEY.test(text) ? 'final' : undefined
}

const detailOf = (status: number, words: string, keyHint: string, location: string): string => {
  if (status === 401 || status === 403) return `${keyHint} (${status})${textAfter(words)}`
  if (status >= 300 && status < 400)
    return (
      `answered ${status} and points to ${preview(withoutQuery(location), 120)}: keys are ` +
      'not sent on, so name that place as endpoint if it is the right one'
    )
  const hint = status === 404 ? '; check the model and the endpoint' : ''
  return `answered ${status}${textAfter(words)}${hint}`
}

const textAfter = (words: string): string => (words === '' ? '' : `: ${preview(withoutKeys(words), 300)}`)

// Before cutting: half a key would not be recognised. Servers show keys in part themselves, as sk-abc***xyz.
const withoutKeys = (words: string): string =>
  scrub(words).replace(/\S+/g, (word) => (word.includes('***') || /^\W*[sp]k-/.test(word) ? '***' : word))

const withoutQuery = (location: string): string => {
  const url = URL.canParse(location) ? new URL(location) : undefined
  return url ? `${url.origin}${url.pathname}` : (location.split(/[?#]/, 1)[0] ?? '')
}

// OpenAI's code, and the messages of others: "prompt is too long: 213000 tokens > 200000 maximum", "exceeds the available context size".
const isOverflow = (status: number, text: string): boolean =>
  (status === 400 || status === 413) &&
  /context_length_exceeded|prompt is too long|exceed\w* .{0,40}context|maximum context length|context (window|length|size) .{0,20}exceed/i.test(
    text,
  )

const codeOfStatus = (status: number): Code => {
  if (status < 400) return 'bad_reply'
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 408 || status === 504) return 'timeout'
  if (status === 429) return 'rate_limited'
  return status === 409 || status >= 500 ? 'overloaded' : 'provider_refused'
}

const isWorthRetrying = (status: number, shouldRetry: string, text: string): boolean => {
  if (shouldRetry === 'true') return status >= 400
  if (shouldRetry === 'false') return false
  if (status === 429) return !NO_MONEY.test(text)
  return status === 408 || status === 409 || status >= 500
}

// A limit on money, not on rate: Anthropic's error_code, OpenAI's code.
const NO_MONEY = /spend_limit_reached|insufficient_quota|billing_hard_limit_reached/

/** Both APIs write { error: { type, message } }; compatible servers also { message }, { detail } or a page of HTML. */
const textOf = (text: string): string => {
  const read = readJson(text)
  if (!read.ok) return /^\s*</.test(text) ? 'a page of HTML' : text.trim()
  const { value } = read
  const message = textAt(value, 'error', 'message') ?? textAt(value, 'message') ?? textAt(value, 'detail') ?? textAt(value, 'error')
  const type = textAt(value, 'error', 'type') ?? textAt(value, 'error', 'code')
  return [type, message].filter((part) => part !== undefined).join(': ')
}

/** `error` of an error event, or of a reply with status 200. */
export const errorEventFailure = (host: string, keyHint: string, event: unknown, did = 'broke off its reply'): Failure => {
  const type = textAt(event, 'type') ?? textAt(event, 'code') ?? ''
  const { code, isRetryable, refusal } = (Object.hasOwn(ERROR_TYPES, type) ? ERROR_TYPES[type] : undefined) ?? OTHER_ERROR
  const text = JSON.stringify(event) ?? 'without a word'
  const isSpent = NO_MONEY.test(text)
  const words = [type, textAt(event, 'message') ?? (typeof event === 'string' ? event : undefined)].filter(Boolean).join(': ')
  const detail = `${code === 'unauthorized' ? keyHint : did}${textAfter(words || text)}`
  const ending = isSpent ? 'final' : refusal
  return {
    fault: fault(code, `${host} ${detail}`),
    isRetryable: isRetryable && !isSpent,
    text: words,
    ...(ending ? { refusal: ending } : {}),
  }
}

interface Kind {
  readonly code: Code
  readonly isRetryable: boolean
  readonly refusal?: ProviderRefusal
}

const OTHER_ERROR: Kind = { code: 'overloaded', isRetryable: true }
const REFUSED: Kind = { code: 'provider_refused', isRetryable: false }
const LIMITED: Kind = { code: 'rate_limited', isRetryable: true }

const ERROR_TYPES: Readonly<Record<string, Kind>> = {
  rate_limit_error: LIMITED,
  rate_limit_exceeded: LIMITED,
  insufficient_quota: LIMITED,
  timeout_error: { code: 'timeout', isRetryable: true },
  invalid_request_error: REFUSED,
  invalid_prompt: REFUSED,
  not_found_error: { ...REFUSED, refusal: 'final' },
  request_too_large: REFUSED,
  billing_error: { ...REFUSED, refusal: 'final' },
  authentication_error: { code: 'unauthorized', isRetryable: false, refusal: 'final' },
  permission_error: { code: 'unauthorized', isRetryable: false, refusal: 'doubtful' },
}

/** Above it our own backoff applies, as in the official SDKs. */
const MAX_RETRY_AFTER_MS = 60_000

/** Undefined if the header is absent, invalid, in the past or asks for more than a minute. */
export const readRetryAfter = (headers: HttpReply['headers'], wallMs: number): number | undefined => {
  const ms = asNumber(header(headers, 'retry-after-ms')) ?? seconds(header(headers, 'retry-after'), wallMs)
  return ms !== undefined && ms >= 0 && ms <= MAX_RETRY_AFTER_MS ? ms : undefined
}

const seconds = (text: string, wallMs: number): number | undefined => {
  const number = asNumber(text)
  if (number !== undefined) return number * 1000
  // Only texts that begin like a day, since Date.parse accepts nearly anything.
  return /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) - wallMs : undefined
}

const asNumber = (text: string): number | undefined => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined)
