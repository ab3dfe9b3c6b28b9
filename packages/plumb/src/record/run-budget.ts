// The budget of a run (--max-calls, --max-total-tokens, --deadline): shared by all its processes, and reported once when it is spent.

import { type Budget, type Fault, fault, joinRanges, openBudget, type Result, succeed } from '@plumb/wire'
import { addTo } from '../graph/input-context.js'

export interface RunLimits {
  readonly maxCalls: number | undefined
  readonly maxTotalTokens: number | undefined
  readonly deadlineMs: number | undefined
}

export class RunBudget {
  readonly deadlineMs: number | undefined
  readonly #budget: Budget
  readonly #limits: RunLimits
  #unanswered = 0
  readonly #seqs: [number, number][] = []
  #isLate = false

  constructor(budget: Budget, limits: RunLimits) {
    this.#budget = budget
    this.#limits = limits
    this.deadlineMs = limits.deadlineMs
  }

  /** The deadline has passed: no agent is asked any more. */
  end(): void {
    this.#isLate = true
    this.#budget.close()
  }

  /** Collects the errors of inputs that the budget stopped, for one report at the end; false: the error has another cause. */
  takes(error: Fault): boolean {
    const isCut = this.#isLate && error.error === 'cancelled'
    if (error.error !== 'budget_spent' && !isCut) return false
    const seqs = (error.seqs as [number, number][] | undefined) ?? (typeof error.seq === 'number' ? [[error.seq, error.seq]] : [])
    this.#unanswered += typeof error.unanswered === 'number' ? error.unanswered : 1
    for (const [first, last] of seqs) for (let seq = first; seq <= last; seq++) addTo(this.#seqs, seq)
    return true
  }

  /** The report at the end; undefined: the budget was enough. */
  get fault(): Fault | undefined {
    if (this.#unanswered === 0 && !this.#isLate) return undefined
    const { calls, tokens } = this.#budget.spent
    const { maxCalls, maxTotalTokens, deadlineMs } = this.#limits
    const what = this.#isLate
      ? `the ${(deadlineMs ?? 0) / 1000} seconds of --deadline are over`
      : maxCalls !== undefined && calls >= maxCalls
        ? `${calls} call${calls === 1 ? ' is' : 's are'} made, as many as --max-calls allows`
        : `${tokens} tokens are used, and --max-total-tokens is ${maxTotalTokens}`
    const left = this.#unanswered === 0 ? '' : `; ${this.#unanswered} message${this.#unanswered === 1 ? ' is' : 's are'} not answered`
    const seqs = joinRanges(this.#seqs)
    const [first] = seqs
    const inputs = first ? { seq: first[0], seqs } : {}
    return fault('budget_spent', `${what}${left}`, { calls, tokens, unanswered: this.#unanswered, ...inputs })
  }
}

/** Undefined: there are no limits. */
export const openRunBudget = (limits: RunLimits): Result<RunBudget | undefined> => {
  const { maxCalls, maxTotalTokens, deadlineMs } = limits
  if (maxCalls === undefined && maxTotalTokens === undefined && deadlineMs === undefined) return succeed(undefined)
  const budget = openBudget({ calls: maxCalls ?? null, tokens: maxTotalTokens ?? null })
  return budget.ok ? succeed(new RunBudget(budget.value, limits)) : budget
}
