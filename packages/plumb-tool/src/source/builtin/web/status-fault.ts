// What a status that is no success means to somebody who wanted the page.

import { type Code, type Fault, fault, preview } from '@plumb/wire'
import { decodeText } from './decode-text.js'
import type { FetchedReply } from './follow-redirects.js'

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

export const pageStatusFault = ({ status, headers, bytes, hops }: FetchedReply): Fault => {
  const url = hops.at(-1)?.href ?? ''
  const words = decodeText(bytes.subarray(0, 20_000), headers['content-type'] ?? '')
    .replace(/<(script|style)[^<>]*>[\s\S]*?<\/\1>|<[^<>]*>/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const wait = Number(headers['retry-after'])
  const extras = {
    status,
    url: preview(url, 200),
    ...(Number.isFinite(wait) && wait >= 0 && headers['retry-after'] ? { retry_after: wait } : {}),
  }
  return fault(
    codeOf(status),
    `'${preview(url, 200)}' answers with status ${status}${words === '' ? '' : `: ${preview(words, 300)}`}`,
    extras,
  )
}

const codeOf = (status: number): Code => {
  if (status === 404 || status === 410) return 'no_such_page'
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 408 || status === 504) return 'timeout'
  if (status === 429) return 'rate_limited'
  return status >= 500 ? 'overloaded' : 'bad_reply'
}
