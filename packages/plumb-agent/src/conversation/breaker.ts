// Stops requests to the provider after a final failure: a refused key, account or model is not tried again.

import { type Fault, fault } from '@plumb/wire'
import type { ProviderRefusal } from '../provider/provider.js'

export interface ProviderOutcome {
  /** The value of `turn` when the request was made. */
  readonly generation: number
  /** The input that it was for. */
  readonly input: object
  readonly error: Fault | undefined
  readonly refusal: ProviderRefusal | undefined
}

export class ProviderBreaker {
  #refused: Fault | undefined
  #doubted: object | undefined
  /** The number of resumes: earlier requests say nothing about later ones. */
  turn = 0

  /** The fault of every request until `resume`. */
  get refused(): Fault | undefined {
    return this.#refused
  }

  /** Records the result of a request. */
  note({ generation, input, error, refusal }: ProviderOutcome): void {
    if (generation !== this.turn) return
    const isSecond = refusal === 'doubtful' && this.#doubted !== undefined && this.#doubted !== input
    if (error && (refusal === 'final' || isSecond))
      this.#refused ??= fault(error.error, `${error.detail}; nothing more is sent until control says 'set_model'`, error)
    this.#doubted = refusal === 'doubtful' ? input : undefined
  }

  resume(): void {
    this.turn++
    this.#refused = undefined
    this.#doubted = undefined
  }
}
