// Holds calls to a protocol as they come, whoever sends them: for agents that are other programs, and for servers.

import type { Fault } from '@plumb/wire'
import type { Walk } from './walk.js'

/**
 * Calls in the order in which they came: each waits for the one before it, since only its result says whether the walk has moved. Free ones
 * do not wait. Which of them a model has made in one turn is not known here, so that each is judged by itself.
 */
export class WalkedCalls {
  #last: Promise<unknown> = Promise.resolve()

  readonly #listeners: (() => void)[] = []

  constructor(readonly walk: Walk) {}

  /** Called when other calls may be allowed than before. */
  onMove(moved: () => void): void {
    this.#listeners.push(moved)
  }

  /** `made`: it was made, and has not failed. */
  async call<T>(tool: string, make: () => Promise<T>, made: (answer: T) => boolean, refuse: (why: Fault) => T): Promise<T> {
    if (this.walk.of.isFree(tool)) return make()
    const answer = this.#last.then(async () => {
      const why = this.walk.judge(tool)
      if (why) return refuse(why)
      const answer = await make()
      if (made(answer)) {
        this.walk.made(tool)
        this.#moved()
      }
      return answer
    })
    this.#last = answer.catch(() => {})
    return answer
  }

  /** A piece of work that makes calls of its own: nothing else moves the walk meanwhile. */
  async alone<T>(work: (walk: Walk) => Promise<T>): Promise<T> {
    const done = this.#last.then(async () => {
      const { at } = this.walk
      const result = await work(this.walk)
      if (this.walk.at !== at) this.#moved()
      return result
    })
    this.#last = done.catch(() => {})
    return done
  }

  #moved(): void {
    for (const tell of this.#listeners) tell()
  }
}
