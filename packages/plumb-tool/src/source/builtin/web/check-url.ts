// Checks a URL before anything is resolved: scheme, port, credentials, characters.

import { type Fault, fault, preview, type Result, succeed } from '@plumb/wire'

const PUBLIC_PORTS = new Set([80, 443, 8000, 8080, 8443, 8888])
const FIRST_FREE_PORT = 1024
const MAX_LENGTH = 8000

/** `mayReachPrivateNet` also allows all ports from 1024 up, on which development servers run. */
export const checkUrl = (text: string, mayReachPrivateNet: boolean): Result<URL> => {
  if (text.length > MAX_LENGTH) return refuse('input_type_mismatch', text, `is longer than ${MAX_LENGTH} characters`)
  // URL parsers treat '\' as '/' and ignore newlines, so that people and other programs would read another host.
  if (/[\\\p{Cc}\s]/u.test(text)) return refuse('address_denied', text, 'has a backslash, white space or a control character in it')
  if (!URL.canParse(text)) return refuse('input_type_mismatch', text, 'is not an absolute URL, such as https://example.org/page')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refuse('address_denied', text, "is neither 'http:' nor 'https:'")
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/*[^/?#]*@/i.test(text)) {
    return refuse('address_denied', url.origin, 'was given with a user or password in it: leave them out')
  }
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  if (PUBLIC_PORTS.has(port) || (mayReachPrivateNet && port >= FIRST_FREE_PORT)) return succeed(url)
  return refuse(
    'address_denied',
    text,
    `has port ${port}, which is not one of ` +
      `${[...PUBLIC_PORTS].join(', ')}${port >= FIRST_FREE_PORT ? ', and net.private is not granted' : ''}`,
  )
}

const refuse = (code: 'address_denied' | 'input_type_mismatch', url: string, why: string): { ok: false; error: Fault } => ({
  ok: false,
  error: fault(code, `'${preview(url, 200)}' ${why}`),
})
