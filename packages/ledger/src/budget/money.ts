// The claims on the money of a run, in the order in which they were made: equal in every process that reads them.

import type { AgentLimit, Claim } from '@plumb/wire'

/** `waiting`: others may return what it needs. `over`: none can. */
export type ClaimState = 'waiting' | 'held' | 'over'

interface Open {
  readonly claim: Claim
  state: ClaimState
}

/** Nanodollars: what is paid, and what is reserved for requests in flight. */
class Balance {
  paid = 0
  held = 0

  has(cost: number, limit: number | null): boolean {
    return limit === null || this.paid + this.held + cost <= limit
  }

  canHave(cost: number, limit: number | null): boolean {
    return limit === null || this.paid + cost <= limit
  }
}

export class Money {
  readonly #limit: number | null
  readonly #run = new Balance()
  readonly #agents = new Map<string, Balance>()
  readonly #open = new Map<string, Open>()
  #isClosed = false

  /** Nanodollars; null: none. */
  constructor(limit: number | null) {
    this.#limit = limit
  }

  get paid(): number {
    return this.#run.paid
  }

  get held(): number {
    return this.#run.held
  }

  /** Not even a free request can be granted any more. */
  get isSpent(): boolean {
    return this.#limit !== null && this.#run.paid >= this.#limit
  }

  /** Nanodollars, by agents with limits of their own. */
  get agents(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#agents].map(([name, { paid }]) => [name, paid]))
  }

  /** What was paid before all claims. */
  restore(cost: number, agents: Readonly<Record<string, number>>): void {
    this.#run.paid = cost
    for (const [name, paid] of Object.entries(agents)) this.#agent(name).paid = paid
  }

  paidBy(agent: string): number {
    return this.#agents.get(agent)?.paid ?? 0
  }

  /** Undefined: there is no such claim, or it was settled. */
  stateOf(id: string): ClaimState | undefined {
    return this.#open.get(id)?.state
  }

  ask(id: string, claim: Claim): void {
    this.#open.set(id, { claim, state: 'waiting' })
    this.#grant()
  }

  /** A claim has ended, at this cost: its reservation is released. */
  settle(id: string, cost: number): void {
    const open = this.#open.get(id)
    if (!open) return
    this.#open.delete(id)
    const { claim, state } = open
    for (const balance of this.#balancesOf(claim.agent)) {
      if (state === 'held') balance.held -= claim.cost
      balance.paid += cost
    }
    this.#grant()
  }

  /** Spending without a reservation. */
  pay(cost: number, agent: string | undefined): void {
    this.#run.paid += cost
    if (agent !== undefined) this.#agent(agent).paid += cost
    this.#grant()
  }

  /** The process of these claims has ended: their reservations may have been spent. */
  abandon(isTheirs: (id: string) => boolean): void {
    for (const [id, { claim, state }] of [...this.#open]) if (isTheirs(id)) this.settle(id, state === 'held' ? claim.cost : 0)
  }

  close(): void {
    this.#isClosed = true
    this.#grant()
  }

  #grant(): void {
    for (const open of this.#open.values()) if (open.state === 'waiting') open.state = this.#decide(open.claim)
  }

  #decide({ cost, agent }: Claim): ClaimState {
    const own = agent && this.#agent(agent.name)
    const isOver = this.#isClosed || !this.#run.canHave(cost, this.#limit) || own?.canHave(cost, agent?.cost ?? null) === false
    if (isOver) return 'over'
    if (!this.#run.has(cost, this.#limit) || own?.has(cost, agent?.cost ?? null) === false) return 'waiting'
    for (const balance of this.#balancesOf(agent)) balance.held += cost
    return 'held'
  }

  #balancesOf(agent: AgentLimit | undefined): readonly Balance[] {
    return agent ? [this.#run, this.#agent(agent.name)] : [this.#run]
  }

  #agent(name: string): Balance {
    const known = this.#agents.get(name)
    if (known) return known
    const balance = new Balance()
    this.#agents.set(name, balance)
    return balance
  }
}
