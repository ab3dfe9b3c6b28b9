// A request on its way through a batch: it waits in several places, and may be cancelled in each.

import type { Fault } from '@plumb/wire'
import type { Emit } from '../../io/telemetry.js'
import { type Attempt, failWith } from '../http/failure.js'

export interface LaneRequest {
  /** Its key in the notes. Undefined: nothing is kept. */
  readonly key: string | undefined
  /** As JSON. */
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly model: string
  /** Its answer is requested as { "value": T }. */
  readonly isWrapped: boolean
  readonly signal: AbortSignal
  /** Receives events about its batch. */
  readonly emit: Emit
  readonly warn: (warning: Fault) => void
}

export interface Replied {
  /** The headers of a single request. */
  readonly reply: unknown
  /** As it was sent, perhaps by an earlier run. */
  readonly isWrapped: boolean
}

export class Waiting {
  readonly bytes: number
  #settle: ((attempt: Attempt<Replied>) => void) | undefined
  /** Removes it from the place where it waits. */
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

  /** Only the first call counts. */
  settle(attempt: Attempt<Replied>): void {
    this.#settle?.(attempt)
    this.#settle = undefined
  }
}

const CANCELLED = failWith('cancelled', 'the answer was dropped on request', false)
