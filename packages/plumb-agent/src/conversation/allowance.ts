// Whether another call to the model may be made: asked of the budget of the run, on a descriptor, or of a parent to whom this agent runs elsewhere.

import { currentBudget, type Fault, fault, isFault } from '@plumb/wire'
import type { Emit } from '../io/telemetry.js'
import type { Cancellation } from './cancellation.js'

export interface Allowance {
  /** Before a call. A fault, `budget_spent`: it may not be made. Undefined as well once the answer is cancelled. */
  take(cancellation: Cancellation): Promise<Fault | undefined>
  /** After it. */
  use(tokens: number): void
}

/** Undefined: there is no limit. */
export const sharedAllowance = (): Allowance | undefined => {
  const budget = currentBudget()
  return budget && { take: async () => budget.take(), use: budget.use }
}

export interface AskedAllowance extends Allowance {
  /** What the parent answers: `{"ask":N}`, with `"denied"` and the fault where the call may not be made. */
  answer(message: unknown): void
  /** No answer can come any more. */
  end(why: string): void
}

/** Each call is asked for on telemetry; what it used, the parent hears there too. */
export const askedAllowance = (emit: Emit): AskedAllowance => {
  const waiting = new Map<number, (denied: Fault | undefined) => void>()
  let asked = 0
  let ended: Fault | undefined
  return {
    take: (cancellation) =>
      new Promise((resolve) => {
        if (ended || cancellation.isCancelled) return resolve(ended)
        const ask = ++asked
        const settle = (denied: Fault | undefined): void => {
          cancellation.signal.removeEventListener('abort', giveUp)
          waiting.delete(ask)
          resolve(denied)
        }
        const giveUp = () => settle(undefined)
        cancellation.signal.addEventListener('abort', giveUp)
        waiting.set(ask, settle)
        emit({ kind: 'budget', ask })
      }),
    use: () => {},
    answer: (message) => {
      const { ask, denied } = (message ?? {}) as { readonly ask?: number; readonly denied?: unknown }
      waiting.get(ask ?? 0)?.(denied === undefined ? undefined : faultIn(denied))
    },
    end: (why) => {
      ended = fault('budget_spent', why)
      for (const settle of [...waiting.values()]) settle(ended)
    },
  }
}

const faultIn = (value: unknown): Fault =>
  isFault(value) ? fault(value.error, value.detail) : fault('budget_spent', 'the budget of this run is spent')
