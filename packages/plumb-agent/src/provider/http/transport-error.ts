// Converts network errors to the error of the input.

import { fault, systemReason } from '@plumb/wire'
import { type Failure, Unreadable } from './failure.js'

/** Undefined: not a network failure but a bug, which should be visible. */
export const transportFailure = (host: string, error: unknown, proxy?: URL): Failure | undefined => {
  if (!(error instanceof Error)) return undefined
  if (error instanceof Unreadable) {
    return { fault: fault('bad_reply', `${host} ${error.message}`), isRetryable: error.isRetryable, text: '' }
  }
  const refused = /^Proxy response \((\d{3})\)/.exec(error.message)?.[1]
  if (refused !== undefined) return refusedByProxy(host, Number(refused), proxy)
  if (error.name === 'HTTPParserError') return notHttp(host, error.message)
  const { code } = error as NodeJS.ErrnoException
  if (typeof code !== 'string') return undefined
  const late = TIMEOUTS[code]
  if (late !== undefined)
    return { fault: fault('timeout', `${host} ${late}`), isRetryable: true, text: '', isUnbilled: NOT_CONNECTED.test(code) }
  const isUnbilled = NOT_CONNECTED.test(code)
  const isAway = code === 'ECONNREFUSED'
  const by = proxy && isAbout(error, proxy) ? `the proxy ${proxy.host}, which the environment names: ` : ''
  const told = fault('connection_failed', `${host}: ${by}${reason(error, code)}`)
  return { fault: told, isRetryable: true, text: '', isUnbilled, isAway: isAway && by === '' }
}

/** Node names the place that it could not reach. */
const isAbout = (error: Error, proxy: URL): boolean => {
  const { port, hostname, address } = error as { readonly port?: number; readonly hostname?: string; readonly address?: string }
  const isPort = port !== undefined && String(port) === (proxy.port || (proxy.protocol === 'https:' ? '443' : '80'))
  return hostname === proxy.hostname || (isPort && address !== undefined)
}

// It is asked for again with each request, and would refuse each.
const refusedByProxy = (host: string, status: number, proxy: URL | undefined): Failure => {
  const remedy =
    status === 407
      ? 'wants a name and a password (407): write them into the variable, as in http://NAME:PASSWORD@HOST:PORT'
      : `refused the connection (${status})`
  const detail = `${host}: the proxy ${proxy?.host ?? ''}, which the environment names, ${remedy}`
  const isRetryable = status >= 500 || status === 408 || status === 429
  const refusal = isRetryable ? {} : { refusal: 'final' as const }
  return { fault: fault('connection_failed', detail), isRetryable, text: '', isUnbilled: true, ...refusal }
}

// undici gives no code for these. An orderly end in the middle of a head, or of a chunk, is one of them.
const notHttp = (host: string, words: string): Failure =>
  /EOF/.test(words)
    ? { fault: fault('connection_failed', `${host}: ${BROKEN_OFF}`), isRetryable: true, text: '' }
    : { fault: fault('bad_reply', `${host} answered with what is not HTTP; check the endpoint`), isRetryable: false, text: '' }

const BROKEN_OFF = 'the connection broke off'

// Nothing of the request was sent.
const NOT_CONNECTED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_INVALID_URL|UND_ERR_INVALID_ARG)$|CERT|SIGNED|SIGNATURE|CRL/

const TIMEOUTS: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'did not take the connection in time',
  ETIMEDOUT: 'did not take the connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'did not answer in time',
  UND_ERR_BODY_TIMEOUT: 'fell silent in the middle of its reply',
}

const reason = (error: Error, code: string): string => {
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET') return BROKEN_OFF
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `no address is known for this name (${code})`
  if (/CERT|SIGNED|SIGNATURE|CRL/.test(code))
    return `its certificate is not accepted (${code}); NODE_EXTRA_CA_CERTS names a file with further authorities`
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return `no TLS there, or one that is not understood (${code})`
  if (code === 'ERR_INVALID_URL' || code === 'UND_ERR_INVALID_ARG') return `the proxy that the environment names is not a URL (${code})`
  return systemReason(error)
}
