// The spending of a child that does not share our budget: an agent elsewhere requests each call, for a foreign program its messages and
// reported usage count.

import { agentOf, type Graph } from '@plumb/lang'
import { type Budget, currentBudget, loadPrices, type Member, type Prices, payUsage, type Reservation } from '@plumb/ledger'
import { type AgentLimit, type Fault, fault, isCount, preview, readClaim, type Telemetry, totalTokens } from '@plumb/wire'
import type { BudgetChannel } from './spawn-via.js'

export interface ChildAllowanceOptions {
  readonly budget: Budget
  /** Undefined: it makes no requests. */
  readonly channel: BudgetChannel | undefined
  /** Its own limit of money. */
  readonly limit: AgentLimit | undefined
  /** Prices for the reported usage of a program. */
  readonly prices: Prices | undefined
  readonly warn: (warning: Fault) => void
  /** Called when it has made a call that exceeds the budget. */
  readonly overrun: () => void
}

type Usage = Extract<Telemetry, { kind: 'usage' }>
type Asked = Extract<Telemetry, { kind: 'budget' }>

/** Maximum messages in flight to it: each may cost a call, or many. */
const MAX_IN_HAND = 8

export class ChildAllowance {
  readonly #o: ChildAllowanceOptions
  /** Counted calls whose usage it has not reported. */
  #counted = 0
  /** Bytes sent to it since its last answer, while it has reported no usage. */
  #sentBytes = 0
  #hasReported = false
  #hasWarned = false
  /** It has exceeded its money. */
  #hasOverspent = false
  /** Created with the first claim. */
  #member: Member | undefined
  readonly #reserved = new Map<number, Reservation>()
  readonly #ended = new AbortController()

  constructor(options: ChildAllowanceOptions) {
    this.#o = options
  }

  get asks(): boolean {
    return this.#o.channel !== undefined
  }

  isFull(inFlight: number): boolean {
    return inFlight >= MAX_IN_HAND
  }

  /** Why it gets no message. Each message counts as one call at least, unless it requests its calls. */
  send(bytes: number): Fault | undefined {
    const { budget, limit } = this.#o
    if (this.asks) return budget.spent.isOver ? BUDGET_SPENT : undefined
    if (this.#isPoor) return limit && !budget.spent.isOver ? AGENT_SPENT : BUDGET_SPENT
    const denied = budget.take()
    if (denied) return BUDGET_SPENT
    this.#counted++
    this.#sentBytes += bytes
    return undefined
  }

  /** Handles a request of an agent elsewhere, or its report. */
  handle(asked: Asked): void {
    if ('paid' in asked) this.#paid(asked)
    else if (asked.claim === undefined) void this.#askCall(asked.ask)
    else void this.#askMoney(asked.ask, asked.claim)
  }

  async #askCall(ask: number): Promise<void> {
    const { budget, channel } = this.#o
    const denied = await budget.ask(this.#ended.signal)
    if (!denied) this.#counted++
    channel?.answer(ask, denied)
  }

  async #askMoney(ask: number, reported: unknown): Promise<void> {
    const { budget, channel } = this.#o
    const claim = readClaim(reported)
    this.#member ??= budget.join()
    const reserved = claim && (await budget.reserve(claim, this.#ended.signal, this.#member))
    if (reserved?.ok) this.#reserved.set(ask, reserved.value)
    channel?.answer(ask, reserved === undefined ? NO_CLAIM : reserved.ok ? undefined : reserved.error)
  }

  #paid({ paid, cost, tokens, lost, back }: Extract<Asked, { paid: number }>): void {
    if (back) return this.#giveBack()
    const reserved = this.#reserved.get(paid)
    this.#reserved.delete(paid)
    const used = isCount(tokens) ? tokens : 0
    reserved?.settle(isCount(cost) ? cost : reserved.cost, used)
    if (lost) this.#o.budget.use(used)
  }

  #giveBack(): void {
    if (this.#counted === 0) return
    this.#counted--
    this.#o.budget.giveBack()
  }

  used(usage: Usage): void {
    const { budget, overrun } = this.#o
    this.#hasReported = true
    const isCounted = this.#counted > 0
    if (isCounted) this.#counted--
    const isOver = !isCounted && budget.take() !== undefined
    budget.use(totalTokens(usage))
    if (!this.asks) this.#pay(usage)
    if (isOver || this.#hasOverspent) overrun()
  }

  #pay(usage: Usage): void {
    const paid = payUsage(this.#o, usage)
    this.#hasOverspent = paid === 'over'
    if (paid === 'unpriced')
      this.#o.warn(
        fault('usage_unknown', `no price is known for '${preview(usage.model)}', so that it may have cost all that is left: see --prices`),
      )
  }

  /** Nothing is left of its money. */
  get #isPoor(): boolean {
    return (this.#o.budget.left(this.#o.limit) ?? 1) <= 0
  }

  /** It has ended: unaccounted grants count as spent. */
  end(): void {
    this.#ended.abort()
    this.#member?.leave()
  }

  /** An answer came. As long as it reports no usage, each byte of message and answer counts as a token. */
  answered(bytes: number): void {
    if (this.#hasReported || this.asks) return
    this.#o.budget.use(this.#sentBytes + bytes)
    this.#sentBytes = 0
    if (this.#hasWarned) return
    this.#hasWarned = true
    const what = 'it reports no usage on descriptor 3, so that the budget counts each message as one call, and each byte as a token'
    this.#o.warn(fault('usage_unknown', `${what}; what it really spends is not known`))
  }

  /** It was sent its last message, and has answered all. */
  close(): void {
    this.#o.channel?.close()
  }
}

const NO_CLAIM = fault('budget_spent', 'it asks for what is not a claim of money')
const AGENT_SPENT = fault('budget_spent', 'the budget of this agent (max_cost) is spent', { limit: 'max_cost' })
const BUDGET_SPENT = fault('budget_spent', 'the budget of this run is spent')

/** For foreign programs instead of agents. Undefined: there is no such program, or no limit of money. */
export const openForeignPrices = async (graph: Graph, agentProgram: string | undefined): Promise<Prices | undefined> => {
  const plans = graph.nodes.flatMap(({ work }) => (work.kind === 'agent' ? [agentOf(work.bound)] : []))
  const foreign = plans.filter(({ config }) => config.command !== undefined || agentProgram !== undefined)
  if (foreign.length === 0) return undefined
  const budget = currentBudget()
  const isLimited = budget !== undefined && foreign.some(({ config }) => budget.limits.cost !== null || config.max_cost !== undefined)
  return isLimited ? loadPrices(budget.limits.prices) : undefined
}
