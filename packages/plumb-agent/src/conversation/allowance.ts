// Requests permission for calls to the model, and their cost: from the budget of the run, on a descriptor, or from a parent on another
// machine.

import { currentBudget, type Reservation } from '@plumb/ledger'
import { type Claim, type Fault, fail, fault, isFault, type Result, succeed } from '@plumb/wire'
import type { Emit } from '../io/telemetry.js'
import type { Cancellation } from '../provider/cancellation.js'

export interface Allowance {
  /** Call it before a call to the model. Fault `budget_spent`: the call is not allowed. Also undefined once the answer is cancelled. */
  take(cancellation: Cancellation): Promise<Fault | undefined>
  /** Call it instead of that, if no request was sent. */
  giveBack(): void
  /** Call it after the call. */
  use(tokens: number): void
  /** Tokens of a failed call that reported no usage. */
  lose(tokens: number): void
  /** Call it before each request is sent. */
  reserve(claim: Claim, signal: AbortSignal): Promise<Result<Reservation>>
}

/** Undefined: there is no limit. */
export const sharedAllowance = (): Allowance | undefined => {
  const budget = currentBudget()
  if (!budget) return undefined
  const use = (tokens: number): void => budget.use(tokens)
  return {
    take: ({ signal }) => budget.ask(signal),
    giveBack: () => budget.giveBack(),
    use,
    lose: use,
    reserve: (claim, signal) => budget.reserve(claim, signal),
  }
}

export interface AskedAllowance extends Allowance {
  /** The parent's answer: `{"ask":N}`, with `"denied"` and the fault if the call is not allowed. */
  answer(message: unknown): void
  /** No answer can come any more. */
  end(why: string): void
}

/** Each call, and each of its requests, is requested by telemetry; the parent reads the usage there too. */
export const askedAllowance = (emit: Emit): AskedAllowance => {
  const waiting = new Map<number, (denied: Fault | undefined) => void>()
  let asked = 0
  let ended: Fault | undefined
  const ask = (signal: AbortSignal, claim?: Claim): Promise<{ denied: Fault | undefined; number: number }> =>
    new Promise((resolve) => {
      const number = ++asked
      if (ended || signal.aborted) return resolve({ denied: ended, number: 0 })
      const settle = (denied: Fault | undefined): void => {
        signal.removeEventListener('abort', onAbort)
        waiting.delete(number)
        resolve({ denied, number })
      }
      const onAbort = () => settle(undefined)
      signal.addEventListener('abort', onAbort)
      waiting.set(number, settle)
      emit({ kind: 'budget', ask: number, ...(claim ? { claim } : {}) })
    })
  const reportPaid = (paid: number, cost: number, tokens: number): void => {
    if (paid > 0) emit({ kind: 'budget', paid, cost, tokens })
  }
  return {
    take: async ({ signal }) => (await ask(signal)).denied,
    giveBack: () => emit({ kind: 'budget', paid: 0, cost: 0, tokens: 0, back: true }),
    use: () => {},
    lose: (tokens) => emit({ kind: 'budget', paid: 0, cost: 0, tokens, lost: true }),
    reserve: async (claim, signal) => {
      const { denied, number } = await ask(signal, claim)
      if (denied) return { ok: false, error: denied }
      if (!signal.aborted) return succeed({ cost: claim.cost, settle: (cost, tokens) => reportPaid(number, cost, tokens) })
      reportPaid(number, 0, 0)
      return fail('cancelled', 'the answer was dropped on request')
    },
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
  isFault(value) ? fault(value.error, value.detail, { ...pick(value, 'limit'), ...pick(value, 'next') }) : NOTHING_LEFT

const pick = (value: Fault, key: string): Record<string, unknown> => (value[key] === undefined ? {} : { [key]: value[key] })

const NOTHING_LEFT = fault('budget_spent', 'the budget of this run is spent')
