// The server: who may come in, which route a request takes, and what is told of it.

import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Fault, fault } from '@plumb/wire'
import { allowOrigin, type CorsNames, FOREIGN_PAGE, whyForeign } from '@plumb/wire/http'
import type { Access } from './access/tokens.js'
import { Exchange } from './http/exchange.js'
import type { RequestLog } from './look/log.js'
import { callBinding } from './routes/call.js'
import { forgetConversation } from './routes/conversation.js'
import { answerOpenai } from './routes/openai/route.js'
import { answerPending } from './routes/pending.js'
import { answerRun, runPath } from './routes/runs.js'
import type { Service } from './service.js'

export interface ServerOptions {
  readonly allowedOrigins: readonly string[]
  /** It listens on this machine alone. */
  readonly isLocal: boolean
  readonly log: RequestLog
  /** A bug of its own. */
  readonly report: (error: Fault) => void
}

/** Who comes in where no token is needed. */
const ANYBODY: Access = { name: '', bindings: undefined, answers: true, take: () => undefined, spend: () => {} }

const CORS: CorsNames = {
  methods: ['GET', 'POST', 'DELETE'],
  exposed: ['location', 'preference-applied', 'retry-after', 'www-authenticate', 'x-request-id'],
  allowed: ['a2a-version', 'idempotency-key', 'last-event-id', 'prefer', 'plumb-conversation', 'plumb-max-cost'],
}

const answerPicture = async (exchange: Exchange, { bindings }: Service): Promise<void> => {
  const { path, access, method } = exchange
  if (method !== 'GET') return exchange.wrongMethod('GET')
  const binding = bindings.find(({ name }) => path === `/pictures/${name}` && (!access?.bindings || access.bindings.has(name)))
  const drawn = await binding?.picture()
  if (drawn?.ok)
    return exchange.send(200, 'image/svg+xml', drawn.value, { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'" })
  exchange.problem(drawn?.error ?? fault('no_such_page', `there is nothing at '${path.slice(0, 200)}'`))
}

/** The way to A2A, loaded where it is asked for. */
type A2aRoutes = import('./routes/a2a/route.js').A2aRoutes

type Route = (exchange: Exchange) => Promise<void> | void

export class Server {
  readonly #service: Service
  readonly #o: ServerOptions
  readonly #routes: Map<string, Readonly<Record<string, Route>>>
  /** To requests that are not over. */
  readonly #responses = new Set<ServerResponse>()
  /** What needs no token. */
  readonly #open = new Map<string, Route>([
    ['/healthz', (exchange) => exchange.json(200, { status: 'ok' })],
    ['/readyz', (exchange) => this.#ready(exchange)],
    ['/', async (exchange) => (await import('./page/page.js')).answerPage(exchange)],
  ])

  constructor(service: Service, options: ServerOptions) {
    this.#service = service
    this.#o = options
    const { bindings, metrics } = service
    const described = { bindings, hasTokens: service.tokens !== undefined }
    this.#routes = new Map<string, Readonly<Record<string, Route>>>([
      ['/openapi.json', { GET: async (exchange) => exchange.json(200, (await import('./routes/openapi.js')).openapiOf(described)) }],
      ['/metrics', { GET: (exchange) => exchange.send(200, 'text/plain; version=0.0.4; charset=utf-8', metrics.text) }],
      ...bindings.map((binding) => [binding.path, { POST: (exchange: Exchange) => callBinding(exchange, binding, service) }] as const),
    ])
  }

  speakA2a({ card, call }: A2aRoutes): void {
    this.#routes.set('/.well-known/agent-card.json', { GET: card })
    this.#routes.set('/a2a', { POST: call })
  }

  readonly answer = (request: IncomingMessage, response: ServerResponse): void => {
    const began = performance.now()
    const exchange = new Exchange(randomUUID(), request, response)
    response.setHeader('x-request-id', exchange.id)
    response.setHeader('x-content-type-options', 'nosniff')
    this.#responses.add(response)
    response.once('close', () => {
      this.#responses.delete(response)
      const ms = performance.now() - began
      void exchange.settled.then(() => this.#tell(exchange, ms))
    })
    this.#answer(exchange).catch((error: unknown) => {
      this.#o.report(fault('internal', error instanceof Error ? (error.stack ?? error.message) : String(error), { request: exchange.id }))
      exchange.problem(fault('internal', `this is a bug of the server, whose standard error has more: request ${exchange.id}`))
      if (!response.writableEnded) response.destroy()
    })
  }

  /** Resolves when what has been answered is with its clients. */
  async sent(): Promise<void> {
    const whole = [...this.#responses].filter(({ writableEnded, writableFinished }) => writableEnded && !writableFinished)
    await Promise.all(whole.map((response) => new Promise((resolve) => response.once('finish', resolve).once('close', resolve))))
  }

  async #answer(exchange: Exchange): Promise<void> {
    const { path, method, request, response } = exchange
    const { isLocal, allowedOrigins } = this.#o
    const { tokens } = this.#service
    const gate = { hasToken: tokens !== undefined, allowedOrigins }
    const { origin } = request.headers
    const { host } = exchange
    const foreign = isLocal ? whyForeign({ host, origin }, gate) : whyForeignPage(host, origin, allowedOrigins)
    if (foreign !== undefined) return exchange.problem(fault('permission_denied', foreign))
    // Before the token, which no such question carries.
    if (allowOrigin(request, response, CORS)) return
    const open = this.#open.get(path)
    if (open) return method === 'GET' ? open(exchange) : exchange.wrongMethod('GET')
    exchange.access = tokens ? tokens.find(exchange.header('authorization')) : ANYBODY
    if (!exchange.access) {
      const why =
        exchange.header('authorization') === undefined ? 'a bearer token is wanted' : 'the bearer token is none of those known here'
      return exchange.problem(fault('unauthorized', why), { headers: { 'www-authenticate': 'Bearer realm="plumb-serve"' } })
    }
    if (path.startsWith('/v1/')) return answerOpenai(exchange, this.#service)
    if (path.startsWith('/conversations/')) return forgetConversation(exchange, this.#service)
    if (path === '/pending' || path.startsWith('/pending/')) return answerPending(exchange, this.#service)
    if (path.startsWith('/pictures/')) return answerPicture(exchange, this.#service)
    const run = runPath(path)
    if (run) return answerRun(exchange, this.#service, run)
    const methods = this.#routes.get(path)
    if (!methods)
      return exchange.problem(fault('no_such_page', `there is nothing at '${path.slice(0, 200)}': GET /openapi.json lists what there is`))
    const route = methods[method]
    if (route) return route(exchange)
    exchange.wrongMethod(Object.keys(methods).join(', '))
  }

  #ready(exchange: Exchange): void {
    const { state } = this.#service
    if (state === 'ready') return exchange.json(200, { status: state })
    exchange.json(503, { status: state }, { 'retry-after': '1' })
  }

  #tell({ id, request: { method }, path, response, access, logged }: Exchange, ms: number): void {
    const { binding } = logged
    const status = response.writableFinished || response.headersSent ? response.statusCode : 499
    if (binding !== undefined) this.#service.metrics.answered(binding, status)
    const token = access?.name === '' ? undefined : access?.name
    this.#o.log({ id, method, path: path.slice(0, 200), ...logged, token, status, ms: Math.round(ms * 10) / 10 })
  }
}

// Its own page is one of the host that the request names; what that is worth the token decides.
const whyForeignPage = (host: string | undefined, origin: string | undefined, allowed: readonly string[]): string | undefined => {
  if (host === undefined) return 'a request is addressed to one Host'
  const isOwn = origin !== undefined && origin.toLowerCase().replace(/^https?:\/\//, '') === host.toLowerCase()
  return origin === undefined || isOwn || allowed.includes(origin) ? undefined : FOREIGN_PAGE
}
