// Outcomes and telemetry as server-sent events, each with an id, from behind the one that a client has had last.

import type { Exchange } from '../http/exchange.js'
import type { Run } from '../run/run.js'

export const EVENTS = 'text/event-stream'

/** How often an idle stream shows that it lives (ms). */
const ALIVE_MS = 15_000

export const answerEvents = async (exchange: Exchange, run: Run, last = 0): Promise<void> => {
  const { response } = exchange
  exchange.stream(EVENTS)
  if (exchange.isHead) return exchange.end()
  const alive = setInterval(() => response.write(':\n\n'), ALIVE_MS).unref()
  response.once('close', () => clearInterval(alive))
  for (let item = await run.feed.after(last); item; item = await run.feed.after(item.id)) {
    // It would end the line. In a line of JSON it is only found between values.
    const data = item.data.replaceAll('\r', ' ')
    await exchange.write(`id: ${item.id}\nevent: ${item.event}\ndata: ${data}\n\n`)
    run.feed.read(item.id)
    if (response.destroyed) break
  }
  clearInterval(alive)
  exchange.end()
}

/** The kinds of telemetry that may be asked for. */
export const EVENT_KINDS: ReadonlySet<string> = new Set([
  ...['text', 'partial', 'thinking', 'tool_call', 'tool_result', 'usage', 'mended', 'retry', 'concession', 'approval', 'batch', 'silent'],
])
