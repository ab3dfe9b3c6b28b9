// The HTTP proxy of a sandboxed program: CONNECT and absolute http: URLs, to allowed hosts only. It runs outside the sandbox.

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import { type Host, readHost } from '@plumb/lang'
import { type Fault, fault, preview } from '@plumb/wire'
import { type HostConnector, type HostTarget, showTarget } from './connect-host.js'
import type { RefusalLog } from './refusal-log.js'

export interface Proxy {
  answer(listener: Server): void
  /** Closes all open connections. */
  close(): void
}

const MAX_CONNECTIONS = 64
const MAX_HEAD_BYTES = 16 * 1024

export const openProxy = (reach: HostConnector, record: RefusalLog): Proxy => {
  const open = new Set<Socket>()
  let clients = 0
  const keep = (socket: Socket): Socket => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => {})
    return socket
  }

  const dial = async (target: HostTarget, client: Socket): Promise<Socket | Fault> => {
    const gone = new AbortController()
    const onClose = (): void => gone.abort()
    client.once('close', onClose)
    if (client.destroyed) onClose()
    const found = await reach.open(target, gone.signal)
    client.off('close', onClose)
    if (!found.ok) {
      if (found.error.category === 'denied') record.refused(showTarget(target), found.error)
      return found.error
    }
    return keep(found.value)
  }

  const untargeted = (url: string, why: string): Fault => {
    const wrong = fault('input_type_mismatch', `'${preview(url)}' is no target: ${why}`)
    record.refused(url.slice(0, 100), wrong)
    return wrong
  }

  const tunnel = async ({ url = '' }: IncomingMessage, client: Socket, head: Buffer): Promise<void> => {
    const host = readHost(url)
    if (host?.port === undefined) return refuse(client, untargeted(url, 'a CONNECT names a host and a port'))
    const upstream = await dial({ ...host, port: host.port }, client)
    if ('error' in upstream) return refuse(client, upstream)
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) upstream.write(head)
    pipeBothWays(client, upstream)
  }

  const forward = async (asked: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const found = absolute(asked.url ?? '')
    if (!found) return reply(answer, untargeted(asked.url ?? '', 'a proxy is asked for http://HOST/PATH, or by CONNECT'))
    const upstream = await dial(found.target, asked.socket)
    if ('error' in upstream) return reply(answer, upstream)
    const { method = 'GET', rawHeaders } = asked
    const headers = [...forwardHeaders(rawHeaders, asked), 'Host', found.authority, 'Connection', 'close']
    const sent = request({ method, path: found.path, headers, createConnection: () => upstream, setHost: false })
    sent.once('response', (given) => {
      answer.writeHead(given.statusCode ?? 502, given.statusMessage ?? '', forwardHeaders(given.rawHeaders))
      given.pipe(answer)
      given.once('close', () => given.complete || asked.socket.resetAndDestroy())
    })
    sent.on('error', (error) => {
      if (!answer.headersSent) reply(answer, fault('connection_failed', `${found.authority} broke off: ${preview(error.message)}`))
    })
    answer.once('close', () => upstream.destroy())
    asked.pipe(sent)
  }

  const http = createServer({ maxHeaderSize: MAX_HEAD_BYTES, insecureHTTPParser: false, keepAliveTimeout: 0 })
  // A client that half-closes after its request still waits for the answer.
  Object.assign(http, { httpAllowHalfOpen: true })
  http.on('connect', (asked, client, head) => void tunnel(asked, client as Socket, head))
  http.on('request', (asked, answer) => void forward(asked, answer))

  const take = (client: Socket): void => {
    record.used()
    keep(client).allowHalfOpen = true
    client.once('close', () => clients--)
    if (++clients <= MAX_CONNECTIONS) {
      http.emit('connection', client)
      return
    }
    const full = fault('overloaded', `the proxy of a sandbox takes ${MAX_CONNECTIONS} connections at once`)
    record.refused('connections', full)
    refuse(client, full)
  }

  return {
    answer: (listener) => {
      // Connections above MAX_CONNECTIONS get an answer that says why; only those above this limit are dropped.
      listener.maxConnections = 2 * MAX_CONNECTIONS
      listener.on('connection', take)
      listener.on('error', () => {})
    },
    close: () => {
      for (const socket of open) socket.destroy()
    },
  }
}

interface Absolute {
  readonly target: HostTarget
  readonly authority: string
  readonly path: string
}

const absolute = (url: string): Absolute | undefined => {
  const [whole, authority = '', path = ''] = /^http:\/\/([^/?#]*)([/?][^#]*)?$/i.exec(url) ?? []
  const host: Host | undefined = whole === undefined ? undefined : readHost(authority)
  if (!host) return undefined
  const { port = 80 } = host
  return {
    target: { ...host, port },
    authority: port === 80 ? host.host : `${host.host}:${port}`,
    path: path.startsWith('/') ? path : `/${path}`,
  }
}

const STATUS: Readonly<Record<string, string>> = {
  denied: '403 Forbidden',
  invalid: '400 Bad Request',
  timeout: '504 Gateway Timeout',
  overloaded: '503 Service Unavailable',
}
const statusOf = ({ error, category }: Fault): string => STATUS[error] ?? STATUS[category] ?? '502 Bad Gateway'

const words = ({ detail }: Fault): string => `plumb: ${detail}\n`

const refuse = (client: Socket, why: Fault): void => {
  const body = words(why)
  const head = `HTTP/1.1 ${statusOf(why)}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`
  client.resume()
  client.end(head + body)
}

const reply = (answer: ServerResponse, why: Fault): void => {
  const [status, ...reason] = statusOf(why).split(' ')
  answer.shouldKeepAlive = false
  answer.writeHead(Number(status), reason.join(' '), { 'content-type': 'text/plain; charset=utf-8' })
  answer.end(words(why))
}

const OF_CONNECTION = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'proxy-authentication-info'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect', 'host'],
])

/**
 * The headers that a proxy passes on, as a flat list of names and values: not those of the connection (RFC 9110, 7.6.1) nor `Host`.
 * With `asked`, those of that request, with the framing of its body.
 */
const forwardHeaders = (raw: readonly string[], asked?: IncomingMessage): string[] => {
  const pairs = Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i] ?? '', raw[2 * i + 1] ?? ''] as const)
  const named = new Set(
    pairs
      .flatMap(([name, value]) => (name.toLowerCase() === 'connection' ? value.split(',') : []))
      .map((word) => word.trim().toLowerCase()),
  )
  const kept = pairs.filter(([name]) => {
    const low = name.toLowerCase()
    // The Connection header must not remove the length of the body.
    return !OF_CONNECTION.has(low) && (!named.has(low) || low === 'content-length')
  })
  return [...kept.flat(), ...(asked ? framing(asked) : [])]
}

// Node.js sends no framing for the body of GET, HEAD, DELETE, OPTIONS and TRACE.
const framing = ({ method = 'GET', headers }: IncomingMessage): readonly string[] => {
  if (headers['transfer-encoding'] !== undefined) return ['Transfer-Encoding', 'chunked']
  const hasBody = headers['content-length'] !== undefined || ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'].includes(method)
  return hasBody ? [] : ['Content-Length', '0']
}

/** Joins two sockets, which must allow half-open connections; each direction ends by itself. */
const pipeBothWays = (one: Socket, other: Socket): void => {
  passOn(one, other)
  passOn(other, one)
}

const passOn = (from: Socket, to: Socket): void => {
  from.pipe(to)
  from.on('error', () => {})
  from.once('close', () => {
    // An aborted connection must not look like a regular end.
    if (!from.readableEnded) to.resetAndDestroy()
    // The peer has ended: drain what is left.
    else to.resume()
  })
}
