// Whether the provider is asked at all: a key, an account or a model that it has refused is not tried again.

import { type Fault, fault } from '@plumb/wire'

/**
 * What a failure says of the questions after it. `final`: each of them would fail likewise. `doubtful`: so it is if another input fails
 * with it next, since it may have been for what that one holds.
 */
export type ProviderRefusal = 'final' | 'doubtful'

export interface ProviderOutcome {
  /** That of `turn` when the question was asked. */
  readonly generation: number
  /** Which input it was for. */
  readonly input: object
  readonly error: Fault | undefined
  readonly refusal: ProviderRefusal | undefined
}

export class ProviderBreaker {
  #refused: Fault | undefined
  #doubted: object | undefined
  /** How often it has been resumed: what was asked before says nothing of what is asked from then on. */
  turn = 0

  /** What every question fails with until `resume`. */
  get refused(): Fault | undefined {
    return this.#refused
  }

  /** What came of a question. */
  note({ generation, input, error, refusal }: ProviderOutcome): void {
    if (generation !== this.turn) return
    const isSecond = refusal === 'doubtful' && this.#doubted !== undefined && this.#doubted !== input
    if (error && (refusal === 'final' || isSecond))
      this.#refused ??= fault(error.error, `${error.detail}; nothing more is sent until 'set_model'`, error)
    this.#doubted = refusal === 'doubtful' ? input : undefined
  }

  resume(): void {
    this.turn++
    this.#refused = undefined
    this.#doubted = undefined
  }
}
