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

export const openProxy = (reach: HostConnector, record: RefusalLog): Proxy => new HostProxy(reach, record)

class HostProxy implements Proxy {
  readonly #reach: HostConnector
  readonly #record: RefusalLog
  readonly #open = new Set<Socket>()
  #clients = 0
  readonly #http = createServer({ maxHeaderSize: MAX_HEAD_BYTES, insecureHTTPParser: false, keepAliveTimeout: 0 })

  constructor(reach: HostConnector, record: RefusalLog) {
    this.#reach = reach
    this.#record = record
    // A client that half-closes after its request still waits for the answer.
    Object.assign(this.#http, { httpAllowHalfOpen: true })
    this.#http.on('connect', (asked, client, head) => void this.#tunnel(asked, client as Socket, head))
    this.#http.on('request', (asked, answer) => void this.#forward(asked, answer))
  }

  answer(listener: Server): void {
    // Connections above MAX_CONNECTIONS get an answer that says why; only those above this limit are dropped.
    listener.maxConnections = 2 * MAX_CONNECTIONS
    listener.on('connection', (client) => this.#take(client))
    listener.on('error', () => {})
  }

  close(): void {
    for (const socket of this.#open) socket.destroy()
  }

  #keep(socket: Socket): Socket {
    this.#open.add(socket)
    socket.once('close', () => this.#open.delete(socket))
    socket.on('error', () => {})
    return socket
  }

  async #dial(target: HostTarget, client: Socket): Promise<Socket | Fault> {
    const gone = new AbortController()
    const onClose = (): void => gone.abort()
    client.once('close', onClose)
    if (client.destroyed) onClose()
    const found = await this.#reach.open(target, gone.signal)
    client.off('close', onClose)
    if (!found.ok) {
      if (found.error.category === 'denied') this.#record.refused(showTarget(target), found.error)
      return found.error
    }
    return this.#keep(found.value)
  }

  #untargeted(url: string, why: string): Fault {
    const wrong = fault('input_type_mismatch', `'${preview(url)}' is not a target: ${why}`)
    this.#record.refused(url.slice(0, 100), wrong)
    return wrong
  }

  async #tunnel({ url = '' }: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    const host = readHost(url)
    if (host?.port === undefined) return refuse(client, this.#untargeted(url, 'a CONNECT names a host and a port'))
    const upstream = await this.#dial({ ...host, port: host.port }, client)
    if ('error' in upstream) return refuse(client, upstream)
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) upstream.write(head)
    pipeBothWays(client, upstream)
  }

  async #forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const found = absolute(asked.url ?? '')
    if (!found) return reply(answer, this.#untargeted(asked.url ?? '', 'a proxy is asked for http://HOST/PATH, or by CONNECT'))
    const upstream = await this.#dial(found.target, asked.socket)
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

  #take(client: Socket): void {
    this.#record.used()
    this.#keep(client).allowHalfOpen = true
    client.once('close', () => this.#clients--)
    if (++this.#clients <= MAX_CONNECTIONS) {
      this.#http.emit('connection', client)
      return
    }
    const full = fault('overloaded', `the proxy of a sandbox takes ${MAX_CONNECTIONS} connections at once`)
    this.#record.refused('connections', full)
    refuse(client, full)
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

const bodyOf = ({ detail }: Fault): string => `plumb: ${detail}\n`

const refuse = (client: Socket, why: Fault): void => {
  const body = bodyOf(why)
  const head = `HTTP/1.1 ${statusOf(why)}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`
  client.resume()
  client.end(head + body)
}

const reply = (answer: ServerResponse, why: Fault): void => {
  const [status, ...reason] = statusOf(why).split(' ')
  answer.shouldKeepAlive = false
  answer.writeHead(Number(status), reason.join(' '), { 'content-type': 'text/plain; charset=utf-8' })
  answer.end(bodyOf(why))
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
