// One run that several callers wait for. It is stopped when the last of them has given up.

import type { Result } from '@plumb/wire'
import type { JsonText } from '../json-text.js'
import type { Tool } from '../tool.js'
import type { Call } from './call.js'
import { cancelled } from './cancelled.js'

export class Flight {
  readonly result: Promise<Result<JsonText>>
  readonly #tool: Tool
  readonly #call: Call
  readonly #abandon = new AbortController()
  readonly #onAbandoned: () => void
  #waiting = 0

  /** What its stages do is noted with the call that began it. */
  constructor(tool: Tool, input: JsonText, call: Call, onAbandoned: () => void) {
    this.#tool = tool
    this.#call = call
    this.#onAbandoned = onAbandoned
    this.result = tool.run(input, { ...call, signal: this.#abandon.signal })
  }

  get isTruncated(): boolean {
    return this.#call.record.truncated
  }

  wait({ signal }: Call): Promise<Result<JsonText>> {
    this.#waiting++
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        signal.removeEventListener('abort', giveUp)
        if (--this.#waiting > 0) return resolve(cancelled(this.#tool.name))
        // Nobody is to join it any more. Its end is waited for: the work is over when its last caller is told so.
        this.#onAbandoned()
        this.#abandon.abort()
      }
      this.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
      if (signal.aborted) giveUp()
      else signal.addEventListener('abort', giveUp, { once: true })
    })
  }
}
