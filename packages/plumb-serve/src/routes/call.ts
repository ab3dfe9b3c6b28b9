// POST to a binding: its input, or inputs as they come, and the form of the answer that the client wants.

import { checkJson, type Fault, fail, fault, type Result, sha256Of, succeed } from '@plumb/wire'
import { answerEvents, EVENT_KINDS, EVENTS } from '../answer/events.js'
import { answerJson } from '../answer/json.js'
import { answerLines, NDJSON } from '../answer/lines.js'
import type { Binding } from '../binding/binding.js'
import type { Exchange } from '../http/exchange.js'
import { onOneLine } from '../http/one-line.js'
import type { Run } from '../run/run.js'
import type { Service } from '../service.js'
import { lastEventId } from './runs.js'
import { conversationOf, enter, maxCostOf, runWithClient, tell } from './with-client.js'

export const callBinding = async (exchange: Exchange, binding: Binding, service: Service): Promise<void> => {
  exchange.logged.binding = binding.name
  const refusal = refusalOf(exchange, binding, service)
  if (refusal) return exchange.problem(refusal)
  const asked = askedOf(exchange)
  if (!asked.ok) return exchange.problem(asked.error, asked.error.error === 'unsupported_media' ? { status: 415 } : {})
  if (asked.value.isAsync || asked.value.key !== undefined) return callKept(exchange, binding, service, asked.value)
  await callNow(exchange, binding, service, asked.value)
}

/** The run ends with its answer, or with its client. */
const callNow = async (exchange: Exchange, binding: Binding, service: Service, asked: Asked): Promise<void> => {
  const body = asked.isLines ? succeed(undefined) : await readInput(exchange, service)
  if (!body.ok) return exchange.problem(body.error)
  const line = body.value
  const feed = async (run: Run): Promise<void> => {
    if (line === undefined) return writeLines(exchange, run)
    await run.writeBytes(withEnd(line))
    run.endInput()
  }
  await runWithClient(exchange, service, { ...asked, binding, feed, answer: (run) => answer(exchange, run, asked) })
}

/** The run goes on without its client, and may be asked for again. */
const callKept = async (exchange: Exchange, binding: Binding, service: Service, asked: Asked): Promise<void> => {
  const { isLines, isAsync, key, conversation, events, maxCost } = asked
  const { runs, readBody } = service
  const { access } = exchange
  const body = isLines ? await readBody(exchange.request) : await readInput(exchange, service)
  if (!body.ok) return exchange.problem(body.error)
  exchange.hasRead = true
  const owner = access?.name ?? ''
  const digest = sha256Of(`${binding.name}\n${isLines ? 'lines' : 'one'}\n${conversation ?? ''}\n${sha256Of(body.value)}`)
  const joined = runs.joined({ owner, key, digest })
  if (!joined.ok) return exchange.problem(joined.error)
  let run = joined.value
  if (!run) {
    const leave = isAsync ? (access?.take() ?? (() => {})) : enter(exchange, service)
    if (typeof leave !== 'function') return exchange.problem(leave)
    const traceparent = exchange.header('traceparent')
    const request = { binding, owner, key, digest, conversation, input: withEnd(body.value), events, maxCost, traceparent }
    const started = await runs.start(request, { isOwed: !isAsync })
    if (!started.ok) {
      leave()
      return exchange.problem(started.error)
    }
    const begun = started.value
    void begun.finished.then(() => {
      access?.spend(begun.cost)
      leave()
    })
    run = begun
  }
  const location = { location: `/runs/${run.id}` }
  if (isAsync) return exchange.json(202, run.shown, { ...location, 'preference-applied': 'respond-async' })
  exchange.response.setHeader('location', location.location)
  await answer(exchange, run, asked)
  tell(exchange, run)
}

// Without its key a run is another one than that whose events the client has.
const answer = (exchange: Exchange, run: Run, { wantsEvents, isLines, key }: Asked): Promise<void> =>
  wantsEvents
    ? answerEvents(exchange, run, key === undefined ? 0 : lastEventId(exchange))
    : isLines
      ? answerLines(exchange, run)
      : answerJson(exchange, run)

const withEnd = (bytes: Buffer): Buffer => (bytes.at(-1) === LF ? bytes : Buffer.concat([bytes, Buffer.from([LF])]))

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
  /** It is answered before it has ended. */
  readonly isAsync: boolean
  /** The memory that its agents have. */
  readonly conversation: string | undefined
  /** Asked again with it, it is the same run. */
  readonly key: string | undefined
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
  const ranges = (exchange.header('accept') ?? '').split(',').filter((range) => !/;\s*q=0(\.0*)?\s*(;|$)/i.test(range))
  const accept = ranges.map((range) => range.split(';', 1)[0]?.trim().toLowerCase())
  const kinds = (exchange.query.get('events') ?? '').split(',').filter((kind) => kind !== '')
  const unknown = kinds.find((kind) => !EVENT_KINDS.has(kind))
  if (unknown !== undefined)
    return fail('usage', `there are no events '${unknown.slice(0, 50)}': ?events= takes ${[...EVENT_KINDS].join(', ')}`)
  const maxCost = maxCostOf(exchange)
  if (!maxCost.ok) return maxCost
  const key = exchange.header('idempotency-key')
  if (key !== undefined && !/^[ -~]{1,255}$/.test(key)) return fail('usage', 'Idempotency-Key takes 1 to 255 characters of ASCII')
  const conversation = conversationOf(exchange)
  if (!conversation.ok) return conversation
  const isAsync = /(^|,)\s*respond-async\s*(;|,|$)/i.test(exchange.header('prefer') ?? '')
  return succeed({
    isLines,
    wantsEvents: accept.includes(EVENTS),
    events: new Set(kinds),
    maxCost: maxCost.value,
    isAsync,
    key,
    conversation: conversation.value,
  })
}

/** One JSON value, which may stand on several lines, as one line. */
const readInput = async (exchange: Exchange, { readBody }: Service): Promise<Result<Buffer>> => {
  const body = await readBody(exchange.request)
  if (!body.ok) return body
  exchange.hasRead = true
  const { value } = body
  if (/^\s*$/.test(value.toString('latin1', 0, Math.min(value.length, 64))) && value.toString('latin1').trim() === '')
    return fail('invalid_json', 'the body is empty, and one JSON value was due')
  const flaw = checkJson(value, 0, value.length)
  if (!flaw) return succeed(onOneLine(value))
  return { ok: false, error: { ...flaw, detail: `${flaw.detail}${helpFor(flaw, value.toString('utf8', 0, 64))}` } }
}

const helpFor = ({ error, detail }: Fault, begin: string): string => {
  if (error !== 'invalid_json') return ''
  if (/^\s*(?!true|false|null)\p{L}/u.test(begin)) return `; a text is in quotes, as in '"hi"'`
  return detail.includes('there is more after the value') ? `; several inputs are lines, with Content-Type: ${NDJSON}` : ''
}

const LF = 0x0a

/** A client that sends nothing for so long, while nothing is in hand, is cut off (ms). */
const IDLE_MS = 300_000

const writeLines = async ({ request, response }: Exchange, run: Run): Promise<void> => {
  const idle = setInterval(() => void (run.inHand === 0 && response.destroy()), IDLE_MS)
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
    clearInterval(idle)
  }
}
