// A question on its way through a batch: it waits in one place after the other, and may be dropped in each.

import type { Fault } from '@plumb/wire'
import type { Emit } from '../../io/telemetry.js'
import { type Attempt, failWith } from '../http/failure.js'

export interface LaneRequest {
  /** By which the notes know it; undefined: nothing is kept. */
  readonly key: string | undefined
  /** As JSON. */
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly model: string
  /** Its answer is asked for as { "value": T }. */
  readonly isWrapped: boolean
  readonly signal: AbortSignal
  /** About its batch. */
  readonly tell: Emit
  readonly warn: (warning: Fault) => void
}

export interface Replied {
  /** That a single request would have had. */
  readonly reply: unknown
  /** As it was sent, maybe by a run before. */
  readonly isWrapped: boolean
}

export class Waiting {
  readonly bytes: number
  #settle: ((attempt: Attempt<Replied>) => void) | undefined
  /** Takes it out of where it waits. */
  drop: () => void = () => {}

  constructor(
    readonly request: LaneRequest,
    settle: (attempt: Attempt<Replied>) => void,
  ) {
    this.bytes = Buffer.byteLength(request.body)
    this.#settle = settle
    const { signal } = request
    const cancel = () => {
      this.drop()
      this.settle(CANCELLED)
    }
    signal.addEventListener('abort', cancel, { once: true })
    if (signal.aborted) this.settle(CANCELLED)
  }

  get isSettled(): boolean {
    return this.#settle === undefined
  }

  /** The first time counts. */
  settle(attempt: Attempt<Replied>): void {
    this.#settle?.(attempt)
    this.#settle = undefined
  }
}

const CANCELLED = failWith('cancelled', 'the answer was dropped on request', false)
