// The endpoints of A2A: the card, and JSON-RPC in one answer or as events. Loaded with --a2a alone.

import { AgentCard } from '@a2a-js/sdk'
import { A2AError, VersionNotSupportedError } from '@a2a-js/sdk/errors'
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server'
import { isRecord, parseJson } from '@plumb/wire'
import { EVENTS } from '../../answer/events.js'
import type { Exchange } from '../../http/exchange.js'
import type { Service } from '../../service.js'
import { A2aHandler, EXCHANGE } from './a2a-requests.js'
import { cardOf } from './card.js'

const SWEEP_MS = 60_000

export type A2aRoutes = ReturnType<typeof openA2a>

/** `url`: where it listens. `publicUrl`: where others reach it, if that was said. */
export const openA2a = (service: Service, url: string, publicUrl: string | undefined) => {
  const handler = new A2aHandler(service, publicUrl ?? url)
  setInterval(() => handler.sweep(), SWEEP_MS).unref()
  const transport = new JsonRpcTransportHandler(handler)
  return {
    card: (exchange: Exchange): void => {
      const { tokens } = service
      const { host, access } = exchange
      const bindings = service.bindings.filter(({ name }) => !access?.bindings || access.bindings.has(name))
      const origin = publicUrl ?? (host === undefined ? url : `http://${host}`)
      const card = cardOf({ bindings, origin, hasTokens: tokens !== undefined })
      exchange.json(200, AgentCard.toJSON(card), { 'cache-control': tokens ? 'private, max-age=60' : 'max-age=60' })
    },
    call: async (exchange: Exchange): Promise<void> => {
      const fail = (id: unknown, error: object): void => exchange.json(200, { jsonrpc: '2.0', id, error })
      const body = await service.readBody(exchange.request)
      if (!body.ok) return exchange.problem(body.error)
      exchange.hasRead = true
      const { access } = exchange
      const user = { isAuthenticated: access?.name !== '', userName: access?.name ?? '' }
      const requestedVersion = exchange.header('a2a-version') ?? '1.0'
      const context = new ServerCallContext({ user, requestedVersion, state: new Map([[EXCHANGE, exchange as unknown]]) })
      const read = parseJson(body.value, 0, body.value.length)
      if (!read.ok) return fail(null, { code: NO_JSON, message: read.error.detail })
      if (!isRecord(read.value)) return fail(null, { code: NO_REQUEST, message: 'a request is an object: batches are not taken' })
      const { id = null } = read.value
      if (!/^1(\.\d+)*$/.test(requestedVersion)) {
        const unknown = `A2A ${requestedVersion.slice(0, 20)} is not spoken: A2A-Version is 1.0`
        return fail(id, JsonRpcTransportHandler.mapToJSONRPCError(new VersionNotSupportedError(unknown)))
      }
      const answered = await transport.handle(read.value, context)
      if (Symbol.asyncIterator in answered) await answerStream(exchange, answered, (error) => fail(id, error))
      else exchange.json(200, answered)
    },
  }
}

/** Of JSON-RPC. */
const [NO_JSON, NO_REQUEST] = [-32_700, -32_600]

/** What fails before the first event is an answer without a stream. */
const answerStream = async (exchange: Exchange, events: AsyncIterable<object>, fail: (error: object) => void): Promise<void> => {
  let hasBegun = false
  try {
    for await (const one of events) {
      if (!hasBegun) exchange.stream(EVENTS)
      hasBegun = true
      if (exchange.response.destroyed) return
      await exchange.write(`data: ${JSON.stringify(one)}\n\n`)
    }
  } catch (error) {
    if (hasBegun || !(error instanceof A2AError)) throw error
    return fail(JsonRpcTransportHandler.mapToJSONRPCError(error))
  }
  exchange.end()
}
