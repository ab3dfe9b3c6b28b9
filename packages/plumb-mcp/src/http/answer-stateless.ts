// Answers a request of revision 2026-07-28 over HTTP on its own response, as a stream of events once there is something to report before
// the answer. The client cancels it by closing the connection.

import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { isRecord, preview } from '@plumb/wire'
import { MCP_NAME_FIELDS } from '@plumb/wire/http'
import { HEADER_MISMATCH, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, MISSING_CAPABILITY } from '../server/rpc-error.js'
import { namesRevision, revisionOf } from '../stateless/envelope.js'
import type { StatelessAnswer, StatelessRequest, StatelessServer } from '../stateless/stateless-server.js'

/** Revisions with sessions; a request of any other revision has none. */
const SESSION_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']

/** Whether to answer the request here: its body or header names a revision without sessions. */
export const isStateless = (body: unknown, headers: IncomingHttpHeaders): boolean => {
  if (!isRecord(body)) return false
  const { 'mcp-protocol-version': version, 'mcp-session-id': session } = headers
  if (namesRevision(body.params)) return true
  if (body.method === 'initialize' || session !== undefined || typeof version !== 'string') return false
  return !SESSION_REVISIONS.includes(version)
}

/** The interval at which an idle stream shows that it is alive (ms). */
const ALIVE_MS = 15_000

export const answerStateless = async (
  body: unknown,
  headers: IncomingHttpHeaders,
  response: ServerResponse,
  server: StatelessServer,
): Promise<void> => {
  const request = body as Partial<StatelessRequest>
  const { id, method } = request
  const refuse = (code: number, message: string): void =>
    sendJson(response, 400, { jsonrpc: '2.0', id: id ?? null, error: { code, message } })
  if (typeof method !== 'string')
    return refuse(INVALID_REQUEST, 'a request has a method: answers are sent with the request that they belong to')
  if (id === undefined) return void response.writeHead(202).end()
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return refuse(INVALID_REQUEST, "'id' takes a string or a whole number")
  if (request.params !== undefined && !isRecord(request.params)) return refuse(INVALID_PARAMS, "'params' takes an object")
  const mismatch = findMismatch(request as StatelessRequest, headers)
  if (mismatch !== undefined) return refuse(HEADER_MISMATCH, mismatch)

  const stop = new AbortController()
  response.once('close', () => stop.abort())
  const events = openEvents(response)
  const send = async (notification: object): Promise<void> => events.send({ jsonrpc: '2.0', ...notification })
  const { traceparent } = headers
  const header = typeof traceparent === 'string' ? traceparent : undefined
  const answer = await server.answer(request as StatelessRequest, { signal: stop.signal, send, header })
  events.end()
  if (!answer || response.destroyed) return
  if (!response.headersSent) return sendJson(response, statusOf(answer), answer.message)
  events.send(answer.message)
  response.end()
}

// An error of a method is an ordinary answer.
const statusOf = ({ code, isRefused }: StatelessAnswer): number => {
  if (code === METHOD_NOT_FOUND) return 404
  return isRefused || code === MISSING_CAPABILITY ? 400 : 200
}

const sendJson = (response: ServerResponse, status: number, message: object): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(message))

interface Events {
  send(message: object): void
  end(): void
}

const openEvents = (response: ServerResponse): Events => {
  let timer: NodeJS.Timeout | undefined
  return {
    send: (message) => {
      if (!response.headersSent) {
        response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' })
        timer = setInterval(() => response.write(':\n\n'), ALIVE_MS).unref()
      }
      response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
    },
    end: () => clearInterval(timer),
  }
}

/** Proxies may route by the headers, so these must agree with the body. */
const findMismatch = ({ method, params = {} }: StatelessRequest, headers: IncomingHttpHeaders): string | undefined => {
  const field = MCP_NAME_FIELDS[method]
  const due: readonly (readonly [string, unknown])[] = [
    // A field that is missing in the body is reported as an error of the body.
    ['MCP-Protocol-Version', revisionOf(params) ?? headers['mcp-protocol-version']],
    ['Mcp-Method', method],
    ...(field === undefined ? [] : [['Mcp-Name', params[field]] as const]),
  ]
  for (const [name, value] of due) {
    const given = headers[name.toLowerCase()]
    if (typeof given !== 'string') return `the header ${name} is missing, which says what the body does`
    if (decodeHeader(given) !== value) return `the header ${name} is '${preview(given)}', and the body says '${preview(String(value))}'`
  }
  return undefined
}

// Header values that are not plain ASCII are base64 between two marks (MCP 2026-07-28, Value Encoding).
const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/

/** Undefined: marked as encoded, but not valid. */
const decodeHeader = (value: string): string | undefined => {
  if (!value.startsWith('=?base64?')) return value
  const [, encoded] = ENCODED.exec(value) ?? []
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8')
}
