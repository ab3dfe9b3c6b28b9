// Control messages that wait for a reply, in the order in which they were sent.

import { type Fault, fail, type Result, succeed } from '@plumb/wire'
import type { ControlEvent } from './program/events.js'

interface Waiting {
  readonly kind: string
  readonly settle: (reply: Result<ControlEvent>) => void
}

/** Matches no reply but an error. */
const ERROR_ONLY = ''

/** A memory is answered between two inputs, which takes no longer than this. */
const REPLY_TIMEOUT_MS = 30_000

export class Requests {
  #waiting: Waiting[] = []

  /** Resolves to the next reply of this kind, or to an error. */
  waitFor(kind: string): Promise<Result<ControlEvent>> {
    return new Promise((resolve) => {
      const settle = (reply: Result<ControlEvent>): void => {
        clearTimeout(timer)
        this.#waiting = this.#waiting.filter((other) => other !== waiting)
        resolve(reply)
      }
      const timer = setTimeout(() => settle(fail('timeout', 'the program did not answer a control message')), REPLY_TIMEOUT_MS)
      const waiting = { kind, settle }
      this.#waiting.push(waiting)
    })
  }

  /** For a request that is answered only when it is wrong: resolves to the error, or to undefined once `processed` has resolved. */
  async waitForError(processed: Promise<void>): Promise<Fault | undefined> {
    const reply = this.waitFor(ERROR_ONLY)
    await Promise.race([reply, processed])
    this.settle({ kind: ERROR_ONLY })
    const settled = await reply
    return settled.ok ? undefined : settled.error
  }

  /** Returns false when no request waits for this reply. An error answers the oldest request. */
  settle(reply: ControlEvent): boolean {
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

  /** No more replies will come. */
  end(): void {
    for (const { settle } of this.#waiting) settle(fail('child_failed', 'the program ended before it answered'))
  }
}
