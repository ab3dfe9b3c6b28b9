// plumb view --serve: the page of a run on this machine, read from disk as it is looked at, also while the run goes on.

import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dieOf, type Fault, fail, onStop, type StopSignal, sha256Of, systemReason, writeStdout } from '@plumb/wire'
import type { Answer, ServedRun } from './served-run.js'

const HOST = '127.0.0.1'
const LIMITS = { headersTimeout: 10_000, requestTimeout: 20_000, keepAliveTimeout: 5000, maxHeaderSize: 16 * 1024 }
const MAX_CONNECTIONS = 64

/** Resolves when it has ended: to why it could not begin, or not at all, since it dies of the signal that ends it. */
export const serveView = async (run: ServedRun, port = 0): Promise<Fault | undefined> => {
  const first = await run.page()
  if (!first.ok) return first.error
  const token = randomBytes(16).toString('hex')
  const server = createServer(LIMITS, (request, response) => {
    answer(request, response, token, run).catch(() => response.destroy())
  })
  server.maxConnections = MAX_CONNECTIONS
  const failure = await bound(server, port)
  if (failure) return failure
  const stopped = new Promise<StopSignal>((resolve) => onStop(resolve, dieOf))
  const said = await writeStdout(`http://${HOST}:${(server.address() as AddressInfo).port}/${token}/\n`)
  const signal = said ? undefined : await stopped
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
  if (signal) dieOf(signal)
  return said
}

const bound = (server: Server, port: number): Promise<Fault | undefined> =>
  new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'another program has it' : systemReason(error)
      resolve(fail('config_invalid', `cannot listen on port ${port} of ${HOST}: ${why}`).error)
    })
    server.listen({ port, host: HOST }, () => resolve(undefined))
  })

const answer = async (request: IncomingMessage, response: ServerResponse, token: string, run: ServedRun): Promise<void> => {
  const { method = '', url = '' } = request
  const [, given = '', rest] = /^\/([^/?]*)(?:\/(.*))?$/s.exec(url) ?? []
  // A name that leads here from another page's address is not ours.
  if (!isOwnHost(request)) return send(response, { status: 403, type: 'text/plain', body: 'this is served to its own address alone\n' })
  if (!isSame(given, token))
    return send(response, { status: 404, type: 'text/plain', body: 'nothing is here: open the link as it was printed\n' })
  if (method !== 'GET' && method !== 'HEAD') return send(response, { status: 405, type: 'text/plain', body: 'it can only be read\n' })
  // Addresses on the page are relative to the directory.
  if (rest === undefined) return send(response, { status: 308, type: 'text/plain', body: '', location: `/${token}/` })
  const found = await run.answer(rest)
  send(response, method === 'HEAD' ? { ...found, body: '' } : found)
}

const isOwnHost = ({ headers: { host = '' }, socket }: IncomingMessage): boolean =>
  [HOST, 'localhost'].some((name) => host === `${name}:${socket.localPort}`)

const isSame = (given: string, token: string): boolean => timingSafeEqual(Buffer.from(sha256Of(given)), Buffer.from(sha256Of(token)))

const send = (response: ServerResponse, { status, type, body, location }: Answer): void => {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    // What the page says of itself, in its head, is stricter still.
    'content-security-policy': "frame-ancestors 'none'",
    ...(location === undefined ? {} : { location }),
  })
  response.end(body)
}
