// A model on loopback that a test speaks for: each request waits for what it is to be answered, piece by piece.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Turn {
  /** The request, as the Messages API has it. */
  readonly body: { readonly messages: readonly { readonly role: string; readonly content: unknown }[]; readonly [key: string]: unknown }
  /** A piece of text, streamed at once. */
  say(text: string): void
  /** Before the text. */
  think(text: string): void
  /** A call of a tool, after the text. */
  call(name: string, input: unknown): void
  end(): void
  /** The client has disconnected. */
  readonly dropped: Promise<void>
}

export interface TalkingModel {
  readonly url: string
  /** The next request. */
  turn(): Promise<Turn>
  close(): void
}

export const openTalkingModel = async (): Promise<TalkingModel> => {
  const came: Turn[] = []
  const waiting: ((turn: Turn) => void)[] = []
  const server = createServer(async (request, response) => {
    const turn = await readTurn(request, response)
    const next = waiting.shift()
    if (next) next(turn)
    else came.push(turn)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    turn: () => {
      const turn = came.shift()
      return turn ? Promise.resolve(turn) : new Promise((resolve) => waiting.push(resolve))
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const readTurn = async (request: IncomingMessage, response: ServerResponse): Promise<Turn> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  let index = 0
  let hasCalled = false
  let isTexting = false
  const send = (type: string, rest: object): void => void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`)
  const stopText = (): void => {
    if (isTexting) send('content_block_stop', { index: index++ })
    isTexting = false
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  send('message_start', { message: { type: 'message', content: [], usage: { input_tokens: 10, output_tokens: 1 } } })
  return {
    body: JSON.parse(Buffer.concat(chunks).toString('utf8')),
    say: (text) => {
      if (!isTexting) send('content_block_start', { index, content_block: { type: 'text', text: '' } })
      isTexting = true
      send('content_block_delta', { index, delta: { type: 'text_delta', text } })
    },
    think: (text) => {
      send('content_block_start', { index, content_block: { type: 'thinking', thinking: '', signature: '' } })
      send('content_block_delta', { index, delta: { type: 'thinking_delta', thinking: text } })
      send('content_block_stop', { index: index++ })
    },
    call: (name, input) => {
      stopText()
      hasCalled = true
      send('content_block_start', { index, content_block: { type: 'tool_use', id: `call_${index}`, name, input: {} } })
      send('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) } })
      send('content_block_stop', { index: index++ })
    },
    end: () => {
      stopText()
      send('message_delta', { delta: { stop_reason: hasCalled ? 'tool_use' : 'end_turn' }, usage: { output_tokens: 2 } })
      send('message_stop', {})
      response.end()
    },
    dropped: once(response, 'close').then(() => {}),
  }
}
