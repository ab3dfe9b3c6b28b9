// From a status other than 200, or an error in the middle of a stream, to what it means for the input.

import { type Code, fault, preview } from '@plumb/wire'
import type { Failure } from './failure.js'
import { readJson, textAt } from './json-path.js'
import { header, readRetryAfter } from './retry-after.js'

export interface Refused {
  /** The host, as errors name it. */
  readonly host: string
  /** The variable that holds the key: the key itself is never shown, nor what the server says of it. */
  readonly keyVariable: string
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly wallMs: number
}

export const refusal = (refused: Refused): Failure => {
  const { host, keyVariable, status, headers, wallMs } = refused
  const words = wordsOf(refused.text)
  const code = codeOfStatus(status)
  const retryAfterMs = readRetryAfter(headers, wallMs)
  const id = header(headers, 'request-id') || header(headers, 'x-request-id')
  const extras = {
    status,
    ...(retryAfterMs === undefined ? {} : { retry_after: retryAfterMs / 1000 }),
    ...(id === '' ? {} : { request_id: preview(id) }),
  }
  return {
    fault: fault(code, `${host} ${said(status, words, keyVariable, header(headers, 'location'))}`, extras),
    isRetryable: isWorthRetrying(status, header(headers, 'x-should-retry'), refused.text),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    words,
  }
}

const said = (status: number, words: string, keyVariable: string, location: string): string => {
  if (status === 401 || status === 403) return `did not accept the key in ${keyVariable} (${status})`
  if (status >= 300 && status < 400)
    return `answered ${status} and points to ${preview(withoutQuery(location), 120)}: keys are not sent on, so name that place as endpoint if it is the right one`
  const hint = status === 404 ? '; check the model and the endpoint' : ''
  return `answered ${status}${words === '' ? '' : `: ${preview(words, 300)}`}${hint}`
}

const withoutQuery = (location: string): string => {
  const url = URL.canParse(location) ? new URL(location) : undefined
  return url ? `${url.origin}${url.pathname}` : (location.split(/[?#]/, 1)[0] ?? '')
}

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
  if (status === 429) return !SPENT.test(text)
  return status === 408 || status === 409 || status >= 500
}

// A limit on money, not on speed: Anthropic's error_code, OpenAI's code.
const SPENT = /spend_limit_reached|insufficient_quota|billing_hard_limit_reached/

/** Both APIs say { error: { type, message } }; servers like them also { message }, { detail } or a page of HTML. */
const wordsOf = (text: string): string => {
  const read = readJson(text)
  if (!read.ok) return /^\s*</.test(text) ? 'a page of HTML' : text.trim()
  const { value } = read
  const message = textAt(value, 'error', 'message') ?? textAt(value, 'message') ?? textAt(value, 'detail') ?? textAt(value, 'error')
  const type = textAt(value, 'error', 'type') ?? textAt(value, 'error', 'code')
  return [type, message].filter((part) => part !== undefined).join(': ')
}

/** `error` of an error event, or of a reply that came with status 200. */
export const errorEvent = (host: string, keyVariable: string, event: unknown): Failure => {
  const type = textAt(event, 'type') ?? textAt(event, 'code') ?? ''
  const { code, isRetryable } = (Object.hasOwn(ERROR_TYPES, type) ? ERROR_TYPES[type] : undefined) ?? OTHER
  const text = JSON.stringify(event) ?? 'without a word'
  const words = [type, textAt(event, 'message') ?? (typeof event === 'string' ? event : undefined)].filter(Boolean).join(': ')
  const detail =
    code === 'unauthorized' ? `did not accept the key in ${keyVariable}` : `broke off its reply: ${preview(words || text, 300)}`
  return { fault: fault(code, `${host} ${detail}`), isRetryable: isRetryable && !SPENT.test(text), words }
}

interface Kind {
  readonly code: Code
  readonly isRetryable: boolean
}

const OTHER: Kind = { code: 'overloaded', isRetryable: true }
const REFUSED: Kind = { code: 'provider_refused', isRetryable: false }
const UNAUTHORIZED: Kind = { code: 'unauthorized', isRetryable: false }
const LIMITED: Kind = { code: 'rate_limited', isRetryable: true }

const ERROR_TYPES: Readonly<Record<string, Kind>> = {
  rate_limit_error: LIMITED,
  rate_limit_exceeded: LIMITED,
  insufficient_quota: LIMITED,
  timeout_error: { code: 'timeout', isRetryable: true },
  invalid_request_error: REFUSED,
  not_found_error: REFUSED,
  request_too_large: REFUSED,
  billing_error: REFUSED,
  authentication_error: UNAUTHORIZED,
  permission_error: UNAUTHORIZED,
}
