// Streamable HTTP on 127.0.0.1: requests that are not from a client are refused before they reach one.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Fault, fail, parseJson, type Result, succeed, systemReason } from '@plumb/wire'
import { allowOrigin, type CorsNames, hasToken, type OriginPolicy, openBodies, type ReadBody, whyForeign } from '@plumb/wire/http'
import { INVALID_REQUEST, PARSE_ERROR, REFUSED } from '../server/rpc-error.js'
import type { ServerContext } from '../server/server-context.js'
import { openStateless, type StatelessServer } from '../stateless/stateless-server.js'
import { answerStateless, isStateless } from './answer-stateless.js'
import { sendError, sendResponse, toWebRequest } from './respond.js'
import { type HttpSession, type HttpSessions, openHttpSessions } from './sessions.js'
import { keepWaiting } from './standing-streams.js'

export interface ListenOptions {
  /** 0: a free port. */
  readonly port: number
  readonly token: string | undefined
  readonly maxBytes: number
  readonly sessions: HttpSessions
  readonly stateless: StatelessServer
  /** Allowed origins of pages other than its own. */
  readonly allowedOrigins?: readonly string[]
  /** Replaces the limits below. */
  readonly limits?: Partial<Limits>
}

interface Limits {
  /** Time for the head of a request, and for all of it (ms); after that it is answered 408. */
  readonly headersTimeout: number
  readonly requestTimeout: number
  /** The interval of that check. */
  readonly connectionsCheckingInterval: number
  readonly keepAliveTimeout: number
  /** Limits of the bodies in transit, and of the time between two pieces of one (ms). */
  readonly maxTotalBytes: number
  readonly stallTimeout: number
  /** Maximum number of connections; further ones are closed. */
  readonly maxConnections: number
}

export interface Listener {
  readonly url: string
  /** Accepts no more requests, and closes the remaining connections. */
  close(): Promise<void>
}

const PATH = '/mcp'
const LIMITS: Limits = {
  headersTimeout: 30_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5000,
  // Longer than clients keep idle connections: a request never meets a connection that the server is closing.
  keepAliveTimeout: 75_000,
  maxTotalBytes: 64 * 1024 * 1024,
  stallTimeout: 30_000,
  maxConnections: 4096,
}
const SESSION = 'mcp-session-id'
const METHODS: readonly string[] = ['GET', 'POST', 'DELETE']
const CORS: CorsNames = {
  methods: METHODS,
  exposed: ['mcp-session-id', 'mcp-protocol-version', 'www-authenticate', 'retry-after'],
  allowed: ['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name'],
}

export const listen = async (options: ListenOptions): Promise<Result<Listener>> => {
  const limits = { ...LIMITS, ...options.limits }
  const readBody = openBodies({ ...limits, maxBytes: options.maxBytes })
  const gate: OriginPolicy = { hasToken: options.token !== undefined, allowedOrigins: options.allowedOrigins ?? [] }
  const server = createServer(limits, (request, response) => {
    answer(request, response, { ...options, readBody, gate }).catch(() => response.destroy())
  })
  server.maxConnections = limits.maxConnections
  const failure = await bound(server, options.port)
  if (failure) return { ok: false, error: failure }
  const { port } = server.address() as AddressInfo
  return succeed({
    url: `http://127.0.0.1:${port}${PATH}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}

const bound = (server: Server, port: number): Promise<Fault | undefined> =>
  new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'another program has it' : systemReason(error)
      resolve(fail('config_invalid', `cannot listen on port ${port} of 127.0.0.1: ${why}`).error)
    })
    server.listen({ port, host: '127.0.0.1' }, () => resolve(undefined))
  })

interface Answering extends ListenOptions {
  readonly readBody: ReadBody
  readonly gate: OriginPolicy
}

const answer = async (request: IncomingMessage, response: ServerResponse, options: Answering): Promise<void> => {
  const { headers, method = '', url = '' } = request
  const foreign = whyForeign(headers, options.gate)
  if (foreign !== undefined) return sendError(response, 403, REFUSED, foreign)
  // Before the token, which no such question carries.
  if (allowOrigin(request, response, CORS)) return
  if (url.split('?', 1)[0]?.replace(/\/$/, '') !== PATH) return sendError(response, 404, REFUSED, `there is nothing here but ${PATH}`)
  if (url.includes('?')) return sendError(response, 400, REFUSED, 'a query is of no use here, and no place for a token')
  if (options.token !== undefined && !hasToken(headers.authorization, options.token)) {
    return sendError(response, 401, REFUSED, 'a bearer token is wanted', { 'www-authenticate': 'Bearer realm="plumb-mcp"' })
  }
  if (!METHODS.includes(method)) return sendError(response, 405, REFUSED, `${method} is of no use here`, { allow: METHODS.join(', ') })
  const body = method === 'POST' ? await readJson(request, options.readBody) : succeed(undefined)
  if (!body.ok) return refuseBody(response, body.error)
  if (method === 'POST' && isStateless(body.value, headers)) return answerStateless(body.value, headers, response, options.stateless)
  const session = await sessionFor(request, body.value, options.sessions)
  if ('status' in session) return sendError(response, session.status, session.code, session.message, session.headers)
  const leave = session.enter()
  if (response.destroyed) leave()
  else response.once('close', leave)
  const parsedBody = method === 'POST' ? { parsedBody: body.value } : {}
  if (method === 'GET') await session.streams.take(response, headers['last-event-id'])
  const isWritten = await sendResponse(await session.transport.handleRequest(toWebRequest(request), parsedBody), response)
  if (isWritten && session.streams.isReplaced(response)) keepWaiting(response)
  else response.end()
}

const readJson = async (request: IncomingMessage, readBody: ReadBody): Promise<Result<unknown>> => {
  const body = await readBody(request)
  return body.ok ? parseJson(body.value, 0, body.value.length) : body
}

const refuseBody = (response: ServerResponse, { error, detail }: Fault): void => {
  // The rest of the body is not waited for.
  if (error === 'overloaded') return sendError(response, 503, REFUSED, detail, { connection: 'close', 'retry-after': '10' })
  if (error === 'timeout') return sendError(response, 408, REFUSED, detail, { connection: 'close' })
  if (error === 'line_too_long') return sendError(response, 413, REFUSED, detail, { connection: 'close' })
  sendError(response, 400, PARSE_ERROR, detail)
}

interface Refusal {
  readonly status: number
  readonly code: number
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

const sessionFor = async ({ headers, method }: IncomingMessage, body: unknown, sessions: HttpSessions): Promise<HttpSession | Refusal> => {
  const id = headers[SESSION]
  if (typeof id === 'string') {
    return sessions.get(id) ?? { status: 404, code: -32001, message: 'there is no such session, or no longer: initialize again' }
  }
  if (method !== 'POST' || !isInitialize(body)) {
    return { status: 400, code: INVALID_REQUEST, message: `only initialize goes without the header ${SESSION}` }
  }
  const busy = { status: 503, code: REFUSED, message: 'there are as many clients as this server takes', headers: { 'retry-after': '10' } }
  return (await sessions.open()) ?? busy
}

const isInitialize = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && (body as { readonly method?: unknown }).method === 'initialize'

interface HttpOptions {
  readonly port: number
  readonly token: string | undefined
  readonly maxLine: number
  readonly maxSessions: number
  readonly idleTimeout: number
  readonly allowedOrigins: readonly string[]
}

export interface HttpServer {
  readonly url: string
  /** To all clients. */
  listChanged(): void
  close(): Promise<void>
}

export const serveHttp = async (context: ServerContext, options: HttpOptions): Promise<Result<HttpServer>> => {
  const { port, token, maxLine, allowedOrigins } = options
  const sessions = openHttpSessions(await import('./mcp-http.late.js'), context, options)
  const stateless = openStateless(context)
  const listener = await listen({ port, token, maxBytes: maxLine, sessions, stateless, allowedOrigins })
  if (!listener.ok) return listener
  return succeed({
    url: listener.value.url,
    listChanged: () => sessions.each((client) => client.listChanged()),
    close: async () => {
      stateless.endListeners()
      await sessions.close()
      await listener.value.close()
    },
  })
}
