// Replies that are waited for, in the order in which they were asked for.

import { type Fault, fail, type Result, succeed } from '@plumb/wire'
import type { Reply } from './session.js'

interface Waiting {
  readonly kind: string
  readonly settle: (reply: Result<Reply>) => void
}

/** No kind of reply. */
const REFUSAL = ''

/** A memory is answered between two inputs, which takes no longer than that. */
const PATIENCE_MS = 30_000

export class Requests {
  #waiting: Waiting[] = []

  wait(kind: string): Promise<Result<Reply>> {
    return new Promise((resolve) => {
      const settle = (reply: Result<Reply>): void => {
        clearTimeout(timer)
        this.#waiting = this.#waiting.filter((other) => other !== waiting)
        resolve(reply)
      }
      const timer = setTimeout(() => settle(fail('timeout', 'the program did not answer a control message')), PATIENCE_MS)
      const waiting = { kind, settle }
      this.#waiting.push(waiting)
    })
  }

  /** For a request that is answered where it is wrong, and else not: resolves with an error of it, or once `isHeard` has resolved. */
  async refusal(isHeard: Promise<void>): Promise<Fault | undefined> {
    const reply = this.wait(REFUSAL)
    await Promise.race([reply, isHeard])
    this.settle({ kind: REFUSAL })
    const settled = await reply
    return settled.ok ? undefined : settled.error
  }

  /** False: nobody waits for it. An error is the answer to what was asked first. */
  settle(reply: Reply): boolean {
    const [first] = this.#waiting
    if (reply.kind === 'error' && first) {
      const { kind: _, ...error } = reply
      first.settle({ ok: false, error: error as never })
      return true
    }
    const waiting = this.#waiting.find(({ kind }) => kind === reply.kind)
    waiting?.settle(succeed(reply))
    return waiting !== undefined
  }

  /** Nothing more will be replied. */
  end(): void {
    for (const { settle } of this.#waiting) settle(fail('child_failed', 'the program ended before it answered'))
  }
}
