// Which requests were answered, and what: a repeated id gets the first answer again and runs nothing.

import { fault } from '@plumb/wire'
import type { ToolAnswer } from './serve.js'

/** Ids that are known for certain; older ones are forgotten. */
const IDS = 10_000
/** Of the answers that are kept for certain; of older ones only the id is. */
const CHARACTERS = 64 * 1024 * 1024
// Many at once: to find the oldest takes time for each that is no longer there.
const SLACK = 1.25

export class FirstAnswers {
  /** In the order of the requests. */
  readonly #answers = new Map<string, ToolAnswer | Promise<ToolAnswer>>()
  #characters = 0

  /** `make` runs for an id that is new. */
  get(id: string, make: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
    const first = this.#answers.get(id)
    if (first) return Promise.resolve(first)
    const answer = this.#make(id, make)
    this.#answers.set(id, answer)
    return answer
  }

  async #make(id: string, make: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
    const answer = await make()
    this.#answers.set(id, answer)
    this.#characters += answer.content.length
    if (this.#answers.size > IDS * SLACK || this.#characters > CHARACTERS * SLACK) this.#shrink()
    return answer
  }

  #shrink(): void {
    for (const [id, answer] of this.#answers) {
      if (this.#answers.size <= IDS && this.#characters <= CHARACTERS) return
      // One that is still being made is kept.
      if (answer instanceof Promise) continue
      this.#characters -= answer.content.length
      if (this.#answers.size > IDS) this.#answers.delete(id)
      else this.#empty(id)
    }
  }

  #empty(id: string): void {
    this.#answers.set(id, { id, content: NO_LONGER_KEPT, is_error: true })
    this.#characters += NO_LONGER_KEPT.length
  }
}

const NO_LONGER_KEPT = JSON.stringify(
  fault('overflow', 'this request was answered before, and the answer is no longer kept; it is not run again'),
)
