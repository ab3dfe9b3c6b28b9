// Pages on loopback for the tests of webpage_to_markdown, with net.private granted, and what becomes of them.

import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Authority } from '@plumb/policy'
import t from 'tap'
import { scaled } from '../../wire/test/patience.js'
import type { Session } from '../src/call/call.js'
import type { BuiltinContext } from '../src/source/builtin/builtin.js'
import { webpageToMarkdown } from '../src/source/builtin/web/webpage-to-markdown.js'
import { openCall, openSession } from './call-session.js'

export const PRIVATE: Authority = { grant: ['net', 'net.private'], policy: [], context: {} }
export const PUBLIC: Authority = { policy: [], context: {} }
export const DEADLINE_MS = scaled(40_000)

export const contextOf = (
  authority = PRIVATE,
  parts: Partial<Session> = {},
  signal = AbortSignal.timeout(DEADLINE_MS),
): BuiltinContext => ({
  call: openCall(openSession({ authority: () => authority, ...parts }), { signal }),
  tool: 'read_web',
  roots: new Map(),
  mayReachPrivateNet: authority.grant?.includes('net.private') ?? false,
})

export const serve = async (answer: RequestListener): Promise<string> => {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Answers = Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>>
export const serveEach = (answers: Answers): Promise<string> =>
  serve((request, response) => {
    const answer = answers[request.url ?? '']
    if (answer) answer(request, response)
    else response.writeHead(404, { 'content-type': 'text/html' }).end('<script>x()</script><h1>Nothing here</h1>')
  })

export const sends =
  (body: string | Buffer, headers: Record<string, string> = { 'content-type': 'text/html; charset=utf-8' }) =>
  (_: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(200, headers).end(body)
export const redirects =
  (location: string, status = 302) =>
  (_: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(status, { location }).end()

/** The whole of it, without the lines that mark it. */
export const markdown = async (url: string, context: BuiltinContext = { ...contextOf(), maxOutput: 10_000_000 }): Promise<string> => {
  const result = await webpageToMarkdown.run({ url }, context)
  if (!result.ok) return JSON.stringify(result.error)
  const [, mark, text] = /^\[Page (\w+) from .*\]\n\n([\s\S]*)\n\n\[End of page \w+\]$/.exec(String(result.value)) ?? []
  if (mark === undefined) throw new Error(`not marked: ${result.value}`)
  return text ?? ''
}

export const error = async (url: string, context = contextOf()) => {
  const result = await webpageToMarkdown.run({ url }, context)
  return result.ok ? { error: 'ok' } : result.error
}
