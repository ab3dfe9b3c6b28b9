// Connections to one endpoint: kept alive, through the proxy of the environment, and never to any other host.

import { Readable } from 'node:stream'
import { proxiesOf } from '@plumb/wire'
import type { Dispatcher } from 'undici'
import { Dispatched, type ReplyListener } from './dispatched.js'
import { isLoopback } from './endpoint.js'
import type { HttpReply } from './reply-body.js'
import type { Timing } from './timing.js'

export interface HttpConnection {
  /** Of the environment, for this endpoint. Undefined: there is none. */
  readonly proxy: URL | undefined
  /** Throws if nothing comes back, or the signal fires. Redirects are returned, not followed. */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpReply>
  /** The same, with the reply as it comes. Returns what cancels it: the listener is called, unless the end came before. */
  dispatch(request: HttpRequest, listener: ReplyListener): (why: Error) => void
  close(): void
}

/** A POST of its body; a GET without one. */
export interface HttpRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Pieces are sent one by one, so that the whole is never held; `content-length` is in the headers then. */
  readonly body?: string | Iterable<string>
}

export const openConnection = (endpoint: URL, { connectMs, headersMs, idleMs }: Timing): HttpConnection => {
  const options = { connect: { timeout: connectMs }, headersTimeout: headersMs, bodyTimeout: idleMs }
  const proxies = isLoopback(endpoint.hostname) ? undefined : proxiesOf(process.env)
  // undici costs more than everything else at start, so it is loaded for the first request; its index three times as much as this part of
  // it, since that loads fetch, WebSocket, cookies and caches too.
  const openLight = async (): Promise<Dispatcher> => {
    const { default: Agent } = await import('undici/lib/dispatcher/agent.js')
    return new Agent(options)
  }
  const openWhole = async () => {
    const { Agent, EnvHttpProxyAgent } = await import('undici')
    return proxies ? new EnvHttpProxyAgent({ ...options, ...proxies }) : new Agent(options)
  }
  let light: Promise<Dispatcher> | undefined
  let whole: ReturnType<typeof openWhole> | undefined
  const opened = (): Promise<Dispatcher> => {
    if (proxies) {
      whole ??= openWhole()
      return whole
    }
    light ??= openLight()
    return light
  }
  const { origin } = endpoint
  const toOptions = ({ path, headers, body }: HttpRequest) => {
    const sent = typeof body === 'object' ? Readable.from(body) : (body ?? null)
    return { origin, path, method: body === undefined ? ('GET' as const) : ('POST' as const), headers, body: sent }
  }
  const named = endpoint.protocol === 'https:' ? proxies?.httpsProxy : proxies?.httpProxy
  return {
    proxy: named !== undefined && URL.canParse(named) ? new URL(named) : undefined,
    send: async (request, signal) => {
      whole ??= openWhole()
      const dispatcher = await whole
      const reply = await dispatcher.request({ ...toOptions(request), signal })
      return { status: reply.statusCode, headers: reply.headers, body: reply.body }
    },
    dispatch: (request, listener) => {
      const dispatched = new Dispatched(listener)
      opened()
        .then((dispatcher) => dispatcher.dispatch(toOptions(request), dispatched))
        .catch((error) => dispatched.abort(error))
      return (why) => dispatched.abort(why)
    },
    close: () => {
      // Pending requests are abandoned: their caller has ended.
      for (const opening of [light, whole])
        opening?.then(
          (dispatcher) => dispatcher.destroy(),
          () => {},
        )
    },
  }
}
