// Outcomes as lines of JSON, written as they come.

import type { Exchange } from '../http/exchange.js'
import type { Run } from '../run/run.js'

export const NDJSON = 'application/x-ndjson'

export const answerLines = async (exchange: Exchange, run: Run): Promise<void> => {
  exchange.stream(NDJSON)
  for (let item = await run.feed.after(0); item; item = await run.feed.after(item.id)) {
    if (item.event === 'output' || item.event === 'error') await exchange.write(`${item.data}\n`)
    run.feed.read(item.id)
    if (exchange.response.destroyed) return
  }
  const error = run.cancellation
  if (error) await exchange.write(`${JSON.stringify({ seq: null, error })}\n`)
  exchange.end()
}
