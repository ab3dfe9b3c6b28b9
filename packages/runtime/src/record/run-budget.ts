// The budget of a run (--max-cost, --max-calls, --max-total-tokens, --deadline): shared by all
// its processes, and reported once when it is spent.

import { type Budget, openBudget, readPrices } from '@plumb/ledger'
import {
  type Fault,
  fault,
  joinRanges,
  type NextRequest,
  nextRequestIn,
  type Result,
  sayNextRequest,
  succeed,
  toDollars,
} from '@plumb/wire'
import { addTo } from '../graph/input-context.js'
import type { RunOptions } from '../options/run-options.js'

type RunLimits = RunOptions['limits']

export class RunBudget {
  readonly deadlineMs: number | undefined
  readonly #budget: Budget
  readonly #limits: RunLimits
  /** Something was stopped by it. */
  #hasStopped = false
  #unanswered = 0
  readonly #seqs: [number, number][] = []
  #isLate = false
  /** The last request that did not fit. */
  #next: NextRequest | undefined

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
    if ((error.error !== 'budget_spent' && !isCut) || isOfAgent(error)) return false
    const seqs = (error.seqs as [number, number][] | undefined) ?? (typeof error.seq === 'number' ? [[error.seq, error.seq]] : [])
    this.#hasStopped = true
    this.#next = nextRequestIn(error) ?? this.#next
    this.#unanswered += typeof error.unanswered === 'number' ? error.unanswered : 1
    for (const [first, last] of seqs) for (let seq = first; seq <= last; seq++) addTo(this.#seqs, seq)
    return true
  }

  /** The report at the end. Undefined: the budget was enough. */
  get fault(): Fault | undefined {
    if (!this.#hasStopped && !this.#isLate) return undefined
    const { calls, tokens, cost } = this.#budget.spent
    const { maxCost, maxCalls, maxTotalTokens, deadlineMs } = this.#limits
    const hasTokens = maxTotalTokens === undefined || tokens < maxTotalTokens
    const what = this.#isLate
      ? `the ${(deadlineMs ?? 0) / 1000} seconds of --deadline have passed`
      : maxCalls !== undefined && calls >= maxCalls
        ? `${calls} call${calls === 1 ? ' is' : 's are'} made, as many as --max-calls allows`
        : maxCost !== undefined && hasTokens
          ? `$${toDollars(cost)} of the $${toDollars(maxCost)} of --max-cost are spent, and ${this.#sayNext(maxCost)}`
          : `${tokens} tokens are used, and --max-total-tokens is ${maxTotalTokens}`
    const left = this.#unanswered === 0 ? '' : `; ${this.#unanswered} message${this.#unanswered === 1 ? ' is' : 's are'} not answered`
    const seqs = joinRanges(this.#seqs)
    const [first] = seqs
    const inputs = first ? { seq: first[0], seqs } : {}
    return fault('budget_spent', `${what}${left}`, {
      calls,
      tokens,
      ...(maxCost === undefined ? {} : { cost: toDollars(cost) }),
      unanswered: this.#unanswered,
      ...(this.#next ? { next: this.#next } : {}),
      ...inputs,
    })
  }

  #sayNext(maxCost: number): string {
    return this.#next ? sayNextRequest(this.#next, { name: '--max-cost', cost: toDollars(maxCost) }) : 'no further request is sure to fit'
  }
}

/** An agent has spent its own limit (`max_cost`), and the run continues. */
const isOfAgent = ({ limit }: Fault): boolean => limit === 'max_cost'

export interface BudgetOptions {
  readonly limits: RunLimits
  /** The file of --prices. */
  readonly prices: string | undefined
  /** Its agents have limits of their own, which they share with their other processes. */
  readonly hasAgentLimits: boolean
  /** The file that keeps it with a record; in a resumed run its content counts. */
  readonly path: string | undefined
}

/** Undefined: the run has no limits. */
export const openRunBudget = ({ limits, prices: file, hasAgentLimits, path }: BudgetOptions): Result<RunBudget | undefined> => {
  const { maxCost = null, maxCalls = null, maxTotalTokens = null } = limits
  const hasLimits = Object.values(limits).some((limit) => limit !== undefined)
  if (!hasLimits && !hasAgentLimits) return succeed(undefined)
  const prices = file === undefined ? succeed(undefined) : readPrices(file)
  if (!prices.ok) return prices
  const budget = openBudget({ calls: maxCalls, tokens: maxTotalTokens, cost: maxCost, prices: prices.value }, path)
  if (!budget.ok) return budget
  return succeed(hasLimits ? new RunBudget(budget.value, limits) : undefined)
}
