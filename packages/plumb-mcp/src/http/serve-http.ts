// A server on HTTP: its listener and its clients.

import { type Result, succeed } from '@plumb/wire'
import type { ServerContext } from '../server/server-context.js'
import { openStateless } from '../stateless/stateless-server.js'
import { listen } from './listen.js'
import { openHttpSessions } from './sessions.js'

export interface HttpOptions {
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
