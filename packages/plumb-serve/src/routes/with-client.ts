// A run that ends with its answer, or with its client: it has a place among those in hand until then.

import { type Fault, fail, type Result, succeed, toNano } from '@plumb/wire'
import type { Binding } from '../binding/binding.js'
import type { Exchange } from '../http/exchange.js'
import { Run } from '../run/run.js'
import type { Service } from '../service.js'
import { CONVERSATION } from './openai/request.js'

export interface ClientRun {
  readonly binding: Binding
  readonly events: ReadonlySet<string>
  readonly maxCost: number | undefined
  readonly conversation: string | undefined
  /** What was said before, where it goes to an agent. */
  readonly before?: readonly unknown[]
  /** Gives it its input. */
  readonly feed: (run: Run) => Promise<void>
  readonly answer: (run: Run) => Promise<void>
}

export const runWithClient = async (exchange: Exchange, service: Service, asked: ClientRun): Promise<void> => {
  const { access } = exchange
  const leave = enter(exchange, service)
  if (typeof leave !== 'function') return exchange.problem(leave)
  const { binding, events, maxCost, feed, answer } = asked
  const left = new AbortController()
  exchange.onceLeft(() => left.abort())
  const talk = await service.talk(exchange, binding, asked.conversation, left, asked.before)
  if (!talk.ok) {
    leave()
    return exchange.problem(talk.error)
  }
  const traceparent = exchange.header('traceparent')
  const own = { id: exchange.id, owner: access?.name ?? '', traceparent, questions: service.questions }
  const run = new Run({ ...own, binding, isKept: false, events, maxCost, memories: talk.value.memories })
  service.begin(run)
  exchange.settled = run.finished.then(() => tell(exchange, run))
  exchange.onceLeft(() => run.cancel())
  try {
    void feed(run)
    await answer(run)
  } finally {
    await run.finished
    talk.value.end()
    access?.spend(run.cost)
    leave()
  }
}

/** Plumb-Max-Cost, in nanodollars. */
export const maxCostOf = (exchange: Exchange): Result<number | undefined> => {
  const text = exchange.header('plumb-max-cost')?.trim()
  if (text === undefined) return succeed(undefined)
  return /^\d+(\.\d{1,9})?$/.test(text)
    ? succeed(toNano(Number(text)))
    : fail('usage', 'Plumb-Max-Cost takes a number of dollars, such as 0.50')
}

/** Plumb-Conversation. */
export const conversationOf = (exchange: Exchange): Result<string | undefined> => {
  const id = exchange.header('plumb-conversation')
  if (id === undefined || CONVERSATION.test(id)) return succeed(id)
  return fail('usage', 'Plumb-Conversation takes 1 to 200 characters of ASCII')
}

/** Its place among those in hand, until it leaves; or why there is none. */
export const enter = ({ access }: Exchange, { places, tokens }: Service): (() => void) | Fault =>
  access?.take() ?? places.take(access?.name ?? '', tokens?.count ?? 0)

/** For the log. */
export const tell = ({ logged }: Exchange, run: Run): void => {
  Object.assign(logged, run.totals, run.failure ? { error: run.failure.error } : {})
}
