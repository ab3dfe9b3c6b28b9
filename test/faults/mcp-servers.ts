// Servers of MCP on loopback with one tool that counts how often it ran, each over a transport of its own.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Test } from 'tap'

export type Kind = 'json' | 'sse' | 'ws'

export interface CountingServer {
  readonly port: number
  readonly path: string
  /** For this number. */
  readonly runs: (n: number) => number
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly n: number } }
}

type Answer = (message: Message) => string | undefined

export const openCountingServer = async (t: Test, kind: Kind): Promise<CountingServer> => {
  const counts = new Map<number, number>()
  const answer: Answer = ({ id, method, params }) => {
    if (id === undefined) return undefined
    const n = params?.arguments?.n ?? 0
    if (method === 'tools/call') counts.set(n, (counts.get(n) ?? 0) + 1)
    const results: Readonly<Record<string, unknown>> = {
      initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'counts', version: '1' } },
      'tools/list': { tools: [{ name: 'note', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [], structuredContent: { n: 2 * n } },
    }
    const result = results[method ?? '']
    return JSON.stringify({ jsonrpc: '2.0', id, result })
  }
  const server = createServer(kind === 'json' ? overJson(answer) : overSse(answer))
  const sockets = new Set<Duplex>()
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    sockets.add(socket)
    overWebSocket(answer, request, socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
    for (const socket of sockets) socket.destroy()
  })
  return { port: (server.address() as AddressInfo).port, path: `/${kind}`, runs: (n) => counts.get(n) ?? 0 }
}

const bodyOf = async (request: IncomingMessage): Promise<Message> => {
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += piece
  return JSON.parse(text)
}

/** Calls whose answer does not come, though the tool has run; over JSON, 400 to 599 are answered with that status. */
export const RESET = -1
export const HALF = -2
export const SILENT = -3

const overJson = (answer: Answer) => async (request: IncomingMessage, response: ServerResponse) => {
  if (request.method !== 'POST') return void response.writeHead(405).end()
  const message = await bodyOf(request)
  const said = answer(message)
  if (said === undefined) return void response.writeHead(202).end()
  const n = message.params?.arguments?.n ?? 0
  if (n === SILENT) return
  if (n === RESET) return void response.socket?.resetAndDestroy()
  if (n >= 400 && n < 600) return void response.writeHead(n).end()
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': said.length, 'mcp-session-id': 's-1' })
  if (n === HALF) response.write(said.slice(0, -9), () => response.destroy())
  else response.end(said)
}

// Of revision 2024-11-05: a stream of events, and an address to post to.
const overSse = (answer: Answer) => {
  const streams = new Map<string, ServerResponse>()
  return async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'GET') {
      const path = `/post/${streams.size}`
      streams.set(path, response)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`event: endpoint\ndata: ${path}\n\n`)
      return
    }
    const said = answer(await bodyOf(request))
    response.writeHead(202).end()
    if (said !== undefined) streams.get(request.url ?? '')?.write(`event: message\ndata: ${said}\n\n`)
  }
}

const overWebSocket = (answer: Answer, request: IncomingMessage, socket: Duplex): void => {
  const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Protocol: mcp']
  socket.write(`${head.join('\r\n')}\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`)
  socket.on('error', () => {})
  let rest = Buffer.alloc(0)
  socket.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    for (let frame = readFrame(rest); frame; frame = readFrame(rest)) {
      rest = rest.subarray(frame.length)
      const said = frame.text === undefined ? undefined : answer(JSON.parse(frame.text))
      const data = Buffer.from(said ?? '')
      if (said !== undefined) socket.write(Buffer.concat([Buffer.from([0x81, 126, data.length >> 8, data.length & 255]), data]))
    }
  })
}

/** The first masked frame of less than 64 KiB; undefined until it is whole. `text` where it is of text. */
const readFrame = (bytes: Buffer): { readonly length: number; readonly text?: string } | undefined => {
  if (bytes.length < 2) return undefined
  const short = bytes.readUInt8(1) & 127
  const start = short === 126 ? 4 : 2
  if (bytes.length < start + 4) return undefined
  const size = short === 126 ? bytes.readUInt16BE(2) : short
  const length = start + 4 + size
  if (bytes.length < length) return undefined
  if ((bytes.readUInt8(0) & 15) !== 1) return { length }
  const data = bytes.subarray(start + 4, length).map((byte, i) => byte ^ bytes.readUInt8(start + (i % 4)))
  return { length, text: Buffer.from(data).toString('utf8') }
}
