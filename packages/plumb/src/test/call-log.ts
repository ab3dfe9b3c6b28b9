// What the agents and tools of a test were asked, in the order in which it came, and what had no answer.

import type { Bound } from '@plumb/lang'

export interface Unanswered {
  readonly code: 'model' | 'not_doubled'
  readonly message: string
}

export class CallLog {
  readonly #inputs = new Map<Bound, string[]>()
  readonly unanswered: Unanswered[] = []

  note(of: Bound, input: string): void {
    const inputs = this.#inputs.get(of)
    if (inputs) inputs.push(input)
    else this.#inputs.set(of, [input])
  }

  of(bound: Bound): readonly string[] {
    return this.#inputs.get(bound) ?? []
  }

  get bounds(): Iterable<Bound> {
    return this.#inputs.keys()
  }

  addUnanswered(code: Unanswered['code'], message: string): void {
    if (!this.unanswered.some((other) => other.message === message)) this.unanswered.push({ code, message })
  }
}
