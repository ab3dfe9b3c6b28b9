// Runs that are kept: their state, their outcomes, and their end.

import { fault } from '@plumb/wire'
import { answerEvents } from '../answer/events.js'
import { NDJSON } from '../answer/lines.js'
import type { Exchange } from '../http/exchange.js'
import type { Run } from '../run/run.js'
import type { Service } from '../service.js'

/** `/runs/ID`, `/runs/ID/outputs`, `/runs/ID/events`. Undefined: another path. */
export const runPath = (path: string): { readonly id: string; readonly part: string } | undefined => {
  const [, id, part = ''] = /^\/runs\/([0-9a-f-]{36})(?:\/(outputs|events))?$/.exec(path) ?? []
  return id === undefined ? undefined : { id, part }
}

export const answerRun = async (
  exchange: Exchange,
  { runs }: Service,
  { id, part }: NonNullable<ReturnType<typeof runPath>>,
): Promise<void> => {
  const run = await runs.find(id, exchange.access?.name ?? '')
  if (!run) return exchange.problem(fault('no_such_page', `there is no run '${id}', or no longer`))
  exchange.logged.binding = run.binding.name
  const { method } = exchange
  if (part === '' && method === 'DELETE') {
    run.cancel()
    return run.finished.then(() => exchange.json(200, run.shown))
  }
  if (method !== 'GET') return exchange.wrongMethod(part === '' ? 'GET, DELETE' : 'GET')
  if (part === 'outputs') return answerOutputs(exchange, run)
  if (part === 'events') return answerEvents(exchange, run, lastEventId(exchange))
  exchange.json(200, run.shown)
}

/** The event behind which a client goes on. */
export const lastEventId = (exchange: Exchange): number => {
  const given = exchange.header('last-event-id') ?? ''
  return /^\d{1,15}$/.test(given) ? Number(given) : 0
}

/** What there is. */
const answerOutputs = (exchange: Exchange, run: Run): void => {
  const from = exchange.query.get('from') ?? '1'
  if (!/^[1-9]\d{0,14}$/.test(from)) return exchange.problem(fault('usage', '?from= takes the number of a line, from 1'))
  const lines = run.feed.items.filter(({ event }) => event === 'output' || event === 'error').slice(Number(from) - 1)
  exchange.send(200, NDJSON, lines.map(({ data }) => `${data}\n`).join(''))
}
