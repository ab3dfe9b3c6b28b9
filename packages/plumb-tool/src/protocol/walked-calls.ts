// Holds calls to a protocol as they come, whoever sends them: for agents that are other programs, and for servers.

import type { Fault } from '@plumb/wire'
import type { Walk } from './walk.js'

/**
 * Calls in the order in which they came: each waits for the one before it, since only its result says whether the walk has moved. What had
 * come behind a call that is refused is refused too: it was sent by one that did not know that. Free ones do not wait.
 */
export class WalkedCalls {
  #last: Promise<unknown> = Promise.resolve()
  #count = 0
  /** Up to this one calls are refused, with the name of the refused one. */
  #refused: { readonly upTo: number; readonly name: string } | undefined

  constructor(readonly walk: Walk) {}

  /** `made`: it was made, and has not failed. */
  async call<T>(tool: string, make: () => Promise<T>, made: (answer: T) => boolean, refuse: (why: Fault) => T): Promise<T> {
    if (this.walk.of.isFree(tool)) return make()
    const number = ++this.#count
    const before = this.#last
    const answer = before.then(async () => {
      const why = this.#judge(tool, number)
      if (why) return refuse(why)
      const answer = await make()
      if (made(answer)) this.walk.made(tool)
      return answer
    })
    this.#last = answer.catch(() => {})
    return answer
  }

  #judge(tool: string, number: number): Fault | undefined {
    if (this.#refused && number <= this.#refused.upTo) return this.walk.of.refusalBehind(this.walk.at, tool, this.#refused.name)
    const why = this.walk.judge(tool)
    if (why) this.#refused = { upTo: this.#count, name: tool }
    return why
  }
}
