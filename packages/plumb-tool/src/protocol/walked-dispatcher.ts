// A dispatcher whose calls keep to a protocol.

import { type Dispatcher, errorAnswer, type Fault } from '@plumb/wire'
import type { WalkedCalls } from './walked-calls.js'

/** Requests that are known again by their ids. */
const MAX_KNOWN = 100_000

/** `callsFor`: those that a call of a tool belongs to; a fault: why it belongs to none. */
export const walkedDispatcher = (dispatcher: Dispatcher, callsFor: (tool: string) => WalkedCalls | Fault): Dispatcher => {
  // A repeated id gets the first answer again, and is no step of the walk.
  const judged = new Map<string, Promise<Fault | undefined>>()
  const judgeOf = (id: string): ((why: Fault | undefined) => void) => {
    let settle: (why: Fault | undefined) => void = () => {}
    judged.set(
      id,
      new Promise((resolve) => {
        settle = resolve
      }),
    )
    const [oldest] = judged.keys()
    if (oldest !== undefined && judged.size > MAX_KNOWN) judged.delete(oldest)
    return settle
  }
  return {
    answer: async (request) => {
      const { id, name, asks } = request
      if (asks) return dispatcher.answer(request)
      const known = judged.get(id)
      if (known) {
        const why = await known
        return why ? errorAnswer(id, why) : dispatcher.answer(request)
      }
      const settle = judgeOf(id)
      const refuse = (why: Fault) => {
        settle(why)
        return errorAnswer(id, why)
      }
      const make = () => {
        settle(undefined)
        return dispatcher.answer(request)
      }
      const calls = callsFor(name)
      return 'error' in calls ? refuse(calls) : calls.call(name, make, ({ is_error }) => !is_error, refuse)
    },
    close: () => dispatcher.close(),
  }
}
