// POST to a binding: its input, or inputs as they come, and the form of the answer that the client wants.

import { randomUUID } from 'node:crypto'
import { checkJson, type Fault, fail, fault, type Result, succeed, toNano } from '@plumb/wire'
import { answerEvents, EVENT_KINDS, EVENTS } from '../answer/events.js'
import { answerJson } from '../answer/json.js'
import { answerLines, NDJSON } from '../answer/lines.js'
import type { Binding } from '../binding/binding.js'
import type { Exchange } from '../http/exchange.js'
import { Run } from '../run/run.js'
import type { Service } from '../service.js'

export const callBinding = async (exchange: Exchange, binding: Binding, service: Service): Promise<void> => {
  const { access, logged } = exchange
  logged.binding = binding.name
  const refusal = refusalOf(exchange, binding, service)
  if (refusal) return exchange.problem(refusal)
  const asked = askedOf(exchange)
  if (!asked.ok) return exchange.problem(asked.error, asked.error.error === 'unsupported_media' ? { status: 415 } : {})
  const { isLines, events, maxCost, wantsEvents } = asked.value
  const body = isLines ? succeed(undefined) : await readInput(exchange, service)
  if (!body.ok) return exchange.problem(body.error)
  const spent = access?.take()
  if (spent) return exchange.problem(spent)
  const place = service.places.take(access?.name ?? '', service.tokens?.count ?? 0)
  if (typeof place !== 'function') return exchange.problem(place)
  const run = new Run({ id: randomUUID(), binding, isKept: false, events, maxCost })
  service.begin(run)
  exchange.left.addEventListener('abort', () => run.cancel(), { once: true })
  if (exchange.left.aborted) run.cancel()
  if (body.value === undefined) void writeLines(exchange, run)
  else void run.write(body.value).then(() => run.endInput())
  const answered = wantsEvents ? answerEvents(exchange, run) : isLines ? answerLines(exchange, run) : answerJson(exchange, run)
  await Promise.all([answered, run.finished])
  const { tokens, cost } = run.totals
  Object.assign(logged, { tokens, cost, ...(run.failure ? { error: run.failure.error } : {}) })
  access?.spend(run.cost)
  place()
}

const refusalOf = ({ access }: Exchange, { name }: Binding, { state }: Service): Fault | undefined => {
  if (access?.bindings && !access.bindings.has(name)) return fault('permission_denied', `this token may not call '${name}'`)
  if (state === 'draining') return fault('overloaded', 'the server is about to end, and takes no more requests')
  return undefined
}

interface Asked {
  /** The body is lines of JSON, taken as they come. */
  readonly isLines: boolean
  readonly wantsEvents: boolean
  readonly events: ReadonlySet<string>
  /** In nanodollars. */
  readonly maxCost: number | undefined
}

// What curl says of -d without more is a form; the body is JSON all the same.
const JSON_TYPES = /^(application\/json|[\w.+-]+\/[\w.-]+\+json|text\/plain|text\/json|application\/x-www-form-urlencoded)$/

const askedOf = (exchange: Exchange): Result<Asked> => {
  const type = (exchange.header('content-type') ?? 'application/json').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const isLines = type === NDJSON || type === 'application/ndjson' || type === 'application/jsonl'
  if (!isLines && !JSON_TYPES.test(type))
    return fail('unsupported_media', `a body of '${type.slice(0, 100)}' is not taken: send application/json or ${NDJSON}`)
  const encoding = exchange.header('content-encoding')
  if (encoding !== undefined && encoding !== 'identity')
    return fail('unsupported_media', 'a body is taken as it is, without a content-encoding')
  const accept = (exchange.header('accept') ?? '').split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase())
  const kinds = (exchange.query.get('events') ?? '').split(',').filter((kind) => kind !== '')
  const unknown = kinds.find((kind) => !EVENT_KINDS.has(kind))
  if (unknown !== undefined)
    return fail('usage', `there are no events '${unknown.slice(0, 50)}': ?events= takes ${[...EVENT_KINDS].join(', ')}`)
  const limit = exchange.header('plumb-max-cost')
  const maxCost = limit === undefined ? undefined : dollarsOf(limit)
  if (maxCost !== undefined && Number.isNaN(maxCost)) return fail('usage', 'Plumb-Max-Cost takes a number of dollars, such as 0.50')
  return succeed({ isLines, wantsEvents: accept.includes(EVENTS), events: new Set(kinds), maxCost })
}

const dollarsOf = (text: string): number => (/^\d+(\.\d{1,9})?$/.test(text.trim()) ? toNano(Number(text)) : Number.NaN)

/** One JSON value, which may stand on several lines, as one line. */
const readInput = async (exchange: Exchange, { readBody }: Service): Promise<Result<Buffer>> => {
  const body = await readBody(exchange.request)
  if (!body.ok) return body
  exchange.hasRead = true
  const line = onOneLine(body.value)
  if (/^\s*$/.test(line.toString('latin1', 0, Math.min(line.length, 64))) && line.toString('latin1').trim() === '')
    return fail('invalid_json', 'the body is empty, and one JSON value was due')
  const flaw = checkJson(line, 0, line.length)
  return flaw ? { ok: false, error: flaw } : succeed(line)
}

// A line break is never within a value of JSON.
const onOneLine = (body: Buffer): Buffer => {
  if (!body.includes(LF) && !body.includes(CR)) return body
  const line = Buffer.from(body)
  for (let i = 0; i < line.length; i++) if (line[i] === LF || line[i] === CR) line[i] = SPACE
  return line
}

const [LF, CR, SPACE] = [0x0a, 0x0d, 0x20]

/** A client that sends nothing for so long, while nothing is in hand, is cut off (ms). */
const IDLE_MS = 300_000

const writeLines = async ({ request, response }: Exchange, run: Run): Promise<void> => {
  const idle = setTimeout(() => response.destroy(), IDLE_MS)
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      idle.refresh()
      await run.writeBytes(chunk)
      idle.refresh()
    }
    run.endInput()
  } catch {
    // The client is gone, in the middle of its lines: what is in hand is cancelled with it.
    run.cancel()
  } finally {
    clearTimeout(idle)
  }
}
