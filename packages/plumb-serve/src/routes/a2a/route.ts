// The endpoints of A2A: the card, and JSON-RPC in one answer or as events. Loaded with --a2a alone.

import { AgentCard } from '@a2a-js/sdk'
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server'
import { fault } from '@plumb/wire'
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
      const { bindings, tokens } = service
      const { host } = exchange
      const origin = publicUrl ?? (host === undefined ? url : `http://${host}`)
      const card = cardOf({ bindings, origin, hasTokens: tokens !== undefined })
      exchange.json(200, AgentCard.toJSON(card), { 'cache-control': 'max-age=60' })
    },
    call: async (exchange: Exchange): Promise<void> => {
      const body = await service.readBody(exchange.request)
      if (!body.ok) return exchange.problem(body.error)
      exchange.hasRead = true
      const { access } = exchange
      const user = { isAuthenticated: access?.name !== '', userName: access?.name ?? '' }
      const requestedVersion = exchange.header('a2a-version') ?? '1.0'
      const context = new ServerCallContext({ user, requestedVersion, state: new Map([[EXCHANGE, exchange as unknown]]) })
      if (!/^1(\.\d+)*$/.test(requestedVersion))
        return exchange.problem(fault('usage', `A2A ${requestedVersion.slice(0, 20)} is not spoken: A2A-Version is 1.0`))
      const answered = await transport.handle(body.value.toString('utf8'), context)
      if (!(Symbol.asyncIterator in answered)) return exchange.json(200, answered)
      exchange.stream(EVENTS)
      for await (const one of answered) {
        if (exchange.response.destroyed) return
        await exchange.write(`data: ${JSON.stringify(one)}\n\n`)
      }
      exchange.end()
    },
  }
}
