// A model on loopback that a test speaks for: each request waits for what it is to be answered, piece by piece.

import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { speaker, type Wire } from './talking-wires.js'

export interface Turn {
  /** The request, as its API has it. */
  readonly body: { readonly messages: readonly { readonly role: string; readonly content: unknown }[]; readonly [key: string]: unknown }
  /** A piece of text, streamed at once. */
  say(text: string): void
  /** Before the text. */
  think(text: string): void
  /** A call of a tool, after the text. */
  call(name: string, input: unknown): void
  end(): void
  /** The connection breaks. */
  cut(): void
  /** The client has disconnected. */
  readonly dropped: Promise<void>
}

export interface TalkingModel {
  readonly url: string
  /** The next request. */
  turn(): Promise<Turn>
  close(): void
}

interface StubModel {
  openServer(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<{ url: string; close: () => void }>
  bodyOf(request: IncomingMessage): Promise<string>
}

// Tests run in the root.
const stub: StubModel = createRequire(resolve('package.json'))('./scripts/stub-model.cjs')

export const openTalkingModel = async (wire: Wire = 'messages'): Promise<TalkingModel> => {
  const came: Turn[] = []
  const waiting: ((turn: Turn) => void)[] = []
  const { url, close } = await stub.openServer(async (request, response) => {
    const turn = await readTurn(wire, request, response)
    const next = waiting.shift()
    if (next) next(turn)
    else came.push(turn)
  })
  return {
    url,
    turn: () => {
      const turn = came.shift()
      return turn ? Promise.resolve(turn) : new Promise((resolve) => waiting.push(resolve))
    },
    close,
  }
}

const readTurn = async (wire: Wire, request: IncomingMessage, response: ServerResponse): Promise<Turn> => {
  const body = JSON.parse(await stub.bodyOf(request))
  const { start, say, think, call, end } = speaker(wire)
  response.on('error', () => {})
  const send = (events: string): void => void response.write(events)
  send(start())
  return {
    body,
    say: (text) => send(say(text)),
    think: (text) => send(think(text)),
    call: (name, input) => send(call(name, input)),
    end: () => void response.end(end()),
    cut: () => void response.destroy(),
    dropped: once(response, 'close').then(() => {}),
  }
}
