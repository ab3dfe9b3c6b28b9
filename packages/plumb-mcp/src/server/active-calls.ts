// The calls that run, by id: their clients get notifications about them, and can be asked.

import type { AskedCall, Consent } from '@plumb/ledger'
import type { Result } from '@plumb/wire'
import type { PersonAsked } from '../tools/sessions.js'

export interface ActiveCall {
  /** Sends a text for people. */
  readonly notify: (message: string) => void
  /** Asks the person at the client whether a tool may be called. */
  readonly approve: (request: AskedCall) => Promise<Consent>
  /** Asks that person what an agent asks. */
  readonly answer: (question: PersonAsked) => Promise<Result<string>>
  readonly stop: AbortController
}

export interface ActiveCalls {
  /** Returns its id, and a function for its end. */
  begin(call: ActiveCall): { readonly id: string; readonly end: () => void }
  get(id: string): ActiveCall | undefined
  /** Resolves once none runs. */
  idle(): Promise<void>
  /** Cancels all of them. */
  stop(): void
  readonly size: number
}

export const openActiveCalls = (): ActiveCalls => {
  const calls = new Map<string, ActiveCall>()
  const whenIdle: (() => void)[] = []
  let count = 0
  return {
    begin: (call) => {
      const id = `mcp-${++count}`
      calls.set(id, call)
      const end = (): void => {
        calls.delete(id)
        if (calls.size === 0) for (const resolve of whenIdle.splice(0)) resolve()
      }
      return { id, end }
    },
    get: (id) => calls.get(id),
    idle: () => (calls.size === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve))),
    stop: () => {
      for (const { stop } of calls.values()) stop.abort()
    },
    get size() {
      return calls.size
    },
  }
}
