// Answers that are still being written, as agents with `partial` tell them: the newest of each message, until it is answered.

import { truncate } from '@plumb/wire'
import type { AgentTelemetry, RunEvent } from './run-event.js'

export interface GrowingAnswer {
  readonly process: string
  readonly agent: string
  /** The message of the process, from 1; 0: unknown. */
  readonly n: number
  /** JSON, of which more may come; its beginning where it is long. */
  readonly text: string
}

const MAX_ANSWERS = 100
const MAX_TEXT = 4096

export class GrowingAnswers {
  readonly #all = new Map<string, Omit<GrowingAnswer, 'text'> & { readonly value: unknown }>()

  /** True: something has changed. */
  on(event: RunEvent): boolean {
    switch (event.kind) {
      case 'telemetry':
        return event.telemetry.kind === 'partial' && this.#take(event.process, event.telemetry)
      case 'answered':
      case 'refused':
        return this.#end(event.process, event.n)
      case 'exited':
        return this.#end(event.process, undefined)
      case 'end': {
        const had = this.#all.size > 0
        this.#all.clear()
        return had
      }
      default:
        return false
    }
  }

  get all(): readonly GrowingAnswer[] {
    return [...this.#all.values()].map(({ value, ...answer }) => ({ ...answer, text: truncate(JSON.stringify(value), MAX_TEXT) }))
  }

  // What a program of others says may be anything.
  #take(process: string, telemetry: AgentTelemetry & { kind: 'partial' }): boolean {
    const n = Number.isSafeInteger(telemetry.seq) ? Number(telemetry.seq) : 0
    const agent = String(telemetry.agent ?? process)
    const key = JSON.stringify([process, n, agent])
    const isOver = Array.isArray(telemetry.open) && telemetry.open.length === 0
    const { value } = telemetry
    if (isOver || value === undefined) return this.#all.delete(key)
    if (!this.#all.has(key) && this.#all.size >= MAX_ANSWERS) return false
    this.#all.set(key, { process, agent, n, value })
    return true
  }

  /** `n` undefined: all of the process; 0: which message it was is unknown, and so all too. */
  #end(process: string, n: number | undefined): boolean {
    let hasEnded = false
    for (const [key, answer] of this.#all) {
      if (answer.process !== process || (n && answer.n !== 0 && answer.n !== n)) continue
      hasEnded = this.#all.delete(key)
    }
    return hasEnded
  }
}
