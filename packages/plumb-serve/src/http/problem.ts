// An error as an answer: application/problem+json (RFC 9457), with the members of the error object and a status by its category.

import { STATUS_CODES } from 'node:http'
import { type Category, type Fault, scrub } from '@plumb/wire'

const BY_CATEGORY: Readonly<Record<Category, number>> = {
  config: 500,
  invalid: 422,
  not_found: 404,
  denied: 403,
  internal: 500,
  unavailable: 503,
}

const BY_CODE: Readonly<Record<string, number>> = {
  // What the client sent is no line.
  usage: 400,
  invalid_json: 400,
  invalid_utf8: 400,
  too_deep: 400,
  truncated_line: 400,
  line_too_long: 413,
  unauthorized: 401,
  budget_spent: 402,
  rate_limited: 429,
  // An Idempotency-Key of another request.
  input_changed: 422,
  cancelled: 503,
}

/** Seconds after which a client may try again, where the error names none. */
const RETRY_AFTER = 5

export const statusOf = ({ error, category }: Fault): number => BY_CODE[error] ?? BY_CATEGORY[category]

export const retryAfterOf = (error: Fault): number | undefined => {
  const status = statusOf(error)
  if (status !== 429 && status !== 503) return undefined
  const { retry_after: given } = error
  return typeof given === 'number' && given > 0 ? Math.ceil(given) : RETRY_AFTER
}

/** `status`: in place of the one of its code. */
export const problemOf = (error: Fault, status = statusOf(error), more: object = {}): string => {
  const { error: code, category, detail, line: _, port: __, ...extras } = error
  return scrub(
    JSON.stringify({ ...extras, type: 'about:blank', title: STATUS_CODES[status] ?? '', status, error: code, category, detail, ...more }),
  )
}

/** In the form of OpenAI's API. */
export const openaiError = ({ error, detail }: Fault, status: number): { readonly error: Readonly<Record<string, unknown>> } => {
  const type = status === 429 ? 'rate_limit_error' : status >= 500 ? 'server_error' : 'invalid_request_error'
  const code = status === 401 ? 'invalid_api_key' : status === 404 ? 'model_not_found' : error
  return { error: { message: detail, type, param: null, code } }
}
