// Node's own HTTP server, with a deadline for each head and a limit on connections.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fail, type Result, succeed, systemReason } from '@plumb/wire'
import type { Address } from '../options.js'

export interface Listener {
  readonly url: string
  /** Takes no more connections, and closes those that are idle. */
  close(): Promise<void>
  /** Closes all. */
  cut(): void
}

const LIMITS = {
  headersTimeout: 15_000,
  // Bodies have deadlines of their own: one of lines may come as long as its run lasts.
  requestTimeout: 0,
  connectionsCheckingInterval: 5000,
  // Longer than clients keep idle connections: a request never meets a connection that the server is closing.
  keepAliveTimeout: 75_000,
  maxHeaderSize: 32 * 1024,
}
const MAX_CONNECTIONS = 4096

export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host)

export const listen = async (
  { host, port }: Address,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Result<Listener>> => {
  const server = createServer(LIMITS, answer)
  server.maxConnections = MAX_CONNECTIONS
  const failure = await bound(server, { host, port })
  if (failure !== undefined) return fail('config_invalid', `cannot listen on ${host}:${port}: ${failure}`)
  const { port: taken } = server.address() as AddressInfo
  return succeed({
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
    cut: () => server.closeAllConnections(),
  })
}

const bound = (server: Server, { host, port }: Address): Promise<string | undefined> =>
  new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'EADDRINUSE' ? 'another program has it' : systemReason(error)),
    )
    server.listen({ port, host }, () => resolve(undefined))
  })
