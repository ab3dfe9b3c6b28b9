// One request and its answer, as the routes see it.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Fault, fault, scrub } from '@plumb/wire'
import type { Access } from '../access/tokens.js'
import { openaiError, problemOf, retryAfterOf, statusOf } from './problem.js'

type Headers = Readonly<Record<string, string>>

/** What the log says of a request, apart from its id, status and time. */
export interface Logged {
  binding?: string
  tokens?: number
  cost?: number
  error?: string
}

export class Exchange {
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly logged: Logged = {}
  /** Resolves when `logged` is whole: its client may go before. */
  settled: Promise<void> = Promise.resolve()
  /** Whom the request is addressed to: the authority of its target, else its Host. Undefined: nobody, or several. */
  readonly host: string | undefined
  /** Whose token it shows. */
  access: Access | undefined
  /** A body that is not read is not waited for. */
  hasRead = false
  #hasLeft = false
  #leave: (() => void) | undefined

  constructor(
    readonly id: string,
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
  ) {
    const [, authority, target] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(request.url ?? '') ?? []
    const hosts = request.headersDistinct.host ?? []
    this.host = hosts.length > 1 ? undefined : (authority ?? hosts[0])
    const [path = '', query = ''] = (target?.replace(/^(?!\/)/, '/') ?? request.url ?? '').split(/\?(.*)/s, 2)
    this.path = path
    this.query = new URLSearchParams(query)
    response.once('close', () => {
      if (response.writableFinished) return
      this.#hasLeft = true
      this.#leave?.()
    })
  }

  /** Calls back once the client is gone before its answer is whole. */
  onceLeft(act: () => void): void {
    if (this.#hasLeft) act()
    else this.#leave = act
  }

  /** HEAD is GET, of which the head alone is sent. */
  get method(): string {
    return this.isHead ? 'GET' : (this.request.method ?? '')
  }

  get isHead(): boolean {
    return this.request.method === 'HEAD'
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  send(status: number, type: string, body: string | Buffer, headers: Headers = {}): void {
    const { response } = this
    if (response.headersSent || response.destroyed) return
    const closing = this.hasRead || this.request.complete || !hasBody(this.request) ? {} : { connection: 'close' }
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    response.writeHead(status, { 'content-type': type, 'content-length': length, ...closing, ...headers })
    response.end(this.isHead ? undefined : body)
  }

  json(status: number, value: unknown, headers: Headers = {}): void {
    this.send(status, 'application/json', typeof value === 'string' ? value : JSON.stringify(value), headers)
  }

  /** `status`: in place of that of its code; `more`: further members. */
  problem(error: Fault, { status = this.#statusOf(error), more = {}, headers = {} }: ProblemOptions = {}): void {
    this.logged.error = error.error
    const seconds = retryAfterOf(error)
    const retry: Headers = seconds === undefined ? {} : { 'retry-after': String(seconds) }
    if (!this.path.startsWith('/v1/'))
      return this.send(status, 'application/problem+json', problemOf(error, status, more), { ...retry, ...headers })
    this.json(status, scrub(JSON.stringify(openaiError(error, status))), { ...retry, ...headers })
  }

  /** `allow`: the methods that its path takes. */
  wrongMethod(allow: string): void {
    const { request, path } = this
    const error = fault('usage', `'${path.slice(0, 200)}' takes ${allow}, and not ${request.method}`)
    this.problem(error, { status: 405, headers: { allow } })
  }

  #statusOf(error: Fault): number {
    const isSlow = error.error === 'timeout' && hasBody(this.request) && !this.request.complete
    return isSlow ? 408 : statusOf(error)
  }

  /** Begins an answer that is written as it comes. */
  stream(type: string, headers: Headers = {}): void {
    this.response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store', 'x-accel-buffering': 'no', ...headers })
    this.response.flushHeaders()
  }

  /** Resolves when more may be written: a client that takes nothing for so long is cut off. */
  async write(text: string): Promise<void> {
    const { response } = this
    if (response.destroyed || response.write(text)) return
    await new Promise<void>((resolve) => {
      const go = (): void => {
        clearTimeout(timer)
        response.off('drain', go).off('close', go)
        resolve()
      }
      const timer = setTimeout(() => response.destroy(), SLOW_MS)
      response.once('drain', go).once('close', go)
    })
  }

  end(): void {
    this.response.end()
  }
}

interface ProblemOptions {
  readonly status?: number
  readonly more?: object
  readonly headers?: Headers
}

const SLOW_MS = 60_000

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
