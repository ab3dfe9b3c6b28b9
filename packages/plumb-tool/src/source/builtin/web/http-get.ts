// http_get: returns a reply with its status, headers and body.

import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { Builtin } from '../builtin.js'
import { decodeText } from './decode-text.js'
import { followRedirects } from './follow-redirects.js'
import { openHostPermission } from './host-permission.js'
import { DEFAULT_MAX_OUTPUT, partOf } from './page-part.js'

interface Input {
  readonly url: string
  readonly headers?: unknown
  /** In characters of the body. */
  readonly offset?: number
}

const MAX_HEADERS = 50
/** Parts of base64 can be decoded one by one. */
const BASE64_STEP = 4
/** Headers of the connection, which the caller cannot set. */
const OF_CONNECTION = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'te',
  'upgrade',
  'expect',
  'keep-alive',
  'trailer',
  'accept-encoding',
])

export const httpGet: Builtin<Input> = {
  url: ({ url }) => url,
  run: async ({ url, headers = {}, offset = 0 }, context) => {
    const sent = checkHeaders(headers)
    if (!sent.ok) return sent
    const { signal, traceparent } = context.call
    const options = { gate: openHostPermission(context), signal, traceparent }
    const fetched = await followRedirects({ url, headers: sent.value }, options)
    if (!fetched.ok) return fetched
    const { status, headers: received, bytes, hops } = fetched.value
    const last = hops.at(-1)?.href ?? url
    const isText = !bytes.includes(0)
    const whole = isText ? decodeText(bytes, received['content-type'] ?? '') : bytes.toString('base64')
    const part = partOf(whole, offset, context.maxOutput ?? DEFAULT_MAX_OUTPUT, isText ? 1 : BASE64_STEP)
    if (!part.ok) return part
    const { text, left, end } = part.value
    if (left > 0) context.call.record.truncated = true
    return succeed({
      status,
      headers: received,
      body: text,
      ...(isText ? {} : { encoding: 'base64' }),
      ...(left > 0 ? { left, next_offset: end } : {}),
      ...(hops.length > 1 ? { url: last } : {}),
    })
  },
}

const checkHeaders = (headers: unknown): Result<Record<string, string>> => {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return refuse('headers', 'must be an object of strings')
  const sent: Record<string, string> = {}
  const entries = Object.entries(headers)
  if (entries.length > MAX_HEADERS) return refuse('headers', `has more than ${MAX_HEADERS} entries`)
  for (const [name, value] of entries) {
    if (!/^[!#$%&'*+.^_`|~\w-]{1,100}$/.test(name)) return refuse(name, 'is not the name of a header')
    if (OF_CONNECTION.has(name.toLowerCase())) return refuse(name, 'belongs to the connection and cannot be set')
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      return refuse(name, 'must have a string of one line, in Latin-1')
    sent[name.toLowerCase()] = value
  }
  return succeed(sent)
}

const refuse = (name: string, why: string): ReturnType<typeof fail> =>
  fail('input_type_mismatch', `the header '${preview(name)}' ${why}`, { path: 'headers' })
