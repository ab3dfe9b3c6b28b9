// A model on loopback that a test speaks for: each request waits for what it is to be answered, piece by piece.

import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'

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

interface StubModel {
  openServer(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<{ url: string; close: () => void }>
  bodyOf(request: IncomingMessage): Promise<string>
  readonly START: string
  startText(index: number): string
  moreText(index: number, text: string): string
  thinking(index: number, text: string): string
  call(index: number, id: string, name: string, input: unknown): string
  stopBlock(index: number): string
  stop(reason: 'tool_use' | 'end_turn'): string
}

// Tests run in the root.
const stub: StubModel = createRequire(resolve('package.json'))('./scripts/stub-model.cjs')

export const openTalkingModel = async (): Promise<TalkingModel> => {
  const came: Turn[] = []
  const waiting: ((turn: Turn) => void)[] = []
  const { url, close } = await stub.openServer(async (request, response) => {
    const turn = await readTurn(request, response)
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

const readTurn = async (request: IncomingMessage, response: ServerResponse): Promise<Turn> => {
  const body = JSON.parse(await stub.bodyOf(request))
  let index = 0
  let hasCalled = false
  let isTexting = false
  const send = (events: string): void => void response.write(events)
  const stopText = (): void => {
    if (isTexting) send(stub.stopBlock(index++))
    isTexting = false
  }
  send(stub.START)
  return {
    body,
    say: (text) => {
      if (!isTexting) send(stub.startText(index))
      isTexting = true
      send(stub.moreText(index, text))
    },
    think: (text) => {
      send(stub.thinking(index, text) + stub.stopBlock(index))
      index++
    },
    call: (name, input) => {
      stopText()
      hasCalled = true
      send(stub.call(index, `call_${index}`, name, input) + stub.stopBlock(index))
      index++
    },
    end: () => {
      stopText()
      send(stub.stop(hasCalled ? 'tool_use' : 'end_turn'))
      response.end()
    },
    dropped: once(response, 'close').then(() => {}),
  }
}
