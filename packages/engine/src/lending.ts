// What one worker may spend of the limits of one run: borrowed from the engine in pieces, granted to its processes call by call, and
// returned if unused. If the worker dies, what it borrowed and did not report counts as spent.

import { type BudgetLimits, type Lender, openLender } from '@plumb/ledger'
import { type Claim, type Fault, fault, leastOf, nextRequestOf, type Result, sayNextRequest, succeed, toDollars } from '@plumb/wire'
import type { Engine } from './engine.js'

type Limits = Pick<BudgetLimits, 'calls' | 'tokens' | 'cost'>

/** Limits that many runs share: those of the servers of one name. */
export interface SharedLimits extends Limits {
  readonly name: string
}

export interface LendingLimits extends Limits, Pick<BudgetLimits, 'prices'> {
  readonly shared?: SharedLimits | undefined
}

/** What one worker has of the limits that many runs share, by their balances. */
export type SharedBalances = Map<string, Balance>

export interface LendingOptions {
  readonly engine: Pick<Engine, 'lend' | 'pace' | 'paced'>
  readonly run: string
  readonly limits: LendingLimits
  /** The name of an agent with a limit of its own, whatever directory its spec is in here. */
  readonly nameOf: (agent: string) => string
  /** A process has messages in flight, and may make requests. */
  readonly isAsked: () => boolean
  readonly fail: (error: unknown) => void
  /** Of all runs that this worker has. */
  readonly shared: SharedBalances
}

interface Balance {
  readonly run: string
  /** Its name in the run. */
  readonly name: string
  readonly limit: number
  /** Granted, and not settled. */
  held: number
  /** Borrowed, and not granted yet. */
  free: number
  /** Spent, and not reported to the engine. */
  spent: number
  /** The free amount at the last check. */
  seen: number
}

interface Need {
  readonly balance: string
  readonly amount: number
  /** It is reserved, and not taken. */
  readonly isLookedAt?: boolean
}

interface Asked {
  readonly id: string
  readonly needs: readonly Need[]
  readonly claim: Claim | undefined
  /** Its money is there, and it waits for the rate of its provider. */
  isPaid: boolean
}

/** How often requests are polled while a process has messages in flight (ms). */
const POLL_MS = 5

export class Lending {
  readonly #o: LendingOptions
  readonly #lender: Lender
  readonly #balances = new Map<string, Balance>()
  #waiting: Asked[] = []
  readonly #held = new Map<string, Asked>()
  #timer: NodeJS.Timeout | undefined
  /** Delay before an unavailable amount is requested again: others may return some (ms). */
  #notBeforeMs = 0
  #isStepping = false
  #isClosed = false

  static open(options: LendingOptions): Result<Lending> {
    const { shared, ...own } = options.limits
    const lender = openLender({ ...own, ...(shared ? strictest(own, shared) : {}) })
    return lender.ok ? succeed(new Lending(options, lender.value)) : lender
  }

  private constructor(options: LendingOptions, lender: Lender) {
    this.#o = options
    this.#lender = lender
    const { shared } = options.limits
    for (const kind of KINDS) {
      const limit = options.limits[kind]
      if (limit !== null) this.#open(kind, limit)
      const most = shared?.[kind] ?? null
      if (!shared || most === null) continue
      const name = `${kind} of ${shared.name}`
      const known = options.shared.get(name)
      // All runs that have it spend from the same.
      const balance = known?.limit === most ? known : { ...newBalance(ALL_RUNS, name, most), ...known, limit: most }
      options.shared.set(name, balance)
      this.#balances.set(sharedKey(kind), balance)
    }
  }

  get budget(): Lender['budget'] {
    return this.#lender.budget
  }

  /** Messages are in flight: requests are answered until none are. */
  listen(): void {
    if (this.#isClosed) return
    this.#timer ??= setInterval(() => {
      if (!this.#o.isAsked() && this.#waiting.length === 0) this.#rest()
      this.step().catch(this.#o.fail)
    }, POLL_MS)
  }

  #rest(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Reads what was spent and requested, and answers. */
  async step(): Promise<void> {
    if (this.#isStepping || this.#isClosed) return
    this.#isStepping = true
    try {
      await this.#answerAll()
      if (this.#waiting.length > 0 && Date.now() >= this.#notBeforeMs) await this.#grant()
    } finally {
      this.#isStepping = false
    }
  }

  /** Something may have been returned elsewhere. */
  wake(): void {
    this.#notBeforeMs = 0
  }

  /** Reports what was spent, and returns what was not requested since the last time. */
  async check(): Promise<void> {
    if (this.#isStepping || this.#isClosed) return
    this.#isStepping = true
    try {
      await this.#answerAll()
      for (const [name, balance] of this.#balances) {
        const isIdle = balance.free > 0 && balance.free === balance.seen && !this.#isWanted(name)
        if (balance.spent > 0 || isIdle) await this.#lend(balance, { need: 0, isReturning: isIdle })
        balance.seen = balance.free
      }
    } finally {
      this.#isStepping = false
    }
  }

  /** Requests under way count as spent from now on. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    await this.#answerAll()
    this.kill()
    for (const { needs } of [...this.#held.values(), ...this.#waiting.filter(({ isPaid }) => isPaid)]) {
      for (const { balance: name, amount } of needs) {
        const balance = this.#balances.get(name)
        if (!balance) continue
        balance.held -= amount
        balance.spent += amount
      }
    }
    for (const balance of this.#balances.values()) await this.#lend(balance, { need: 0, isReturning: true })
  }

  /** The engine is unavailable. */
  kill(): void {
    this.#isClosed = true
    this.#rest()
  }

  async #answerAll(): Promise<void> {
    for (let said = this.#lender.next(); said; said = this.#lender.next()) await this.#answer(said)
  }

  async #answer(said: NonNullable<ReturnType<Lender['next']>>): Promise<void> {
    if (said.kind === 'call') this.#ask(said.id, undefined)
    else if (said.kind === 'claim') this.#ask(said.id, said.claim)
    else if (said.kind === 'back') this.#spendAll('calls', -1)
    else if (said.kind === 'tokens') this.#spendAll('tokens', said.tokens)
    else if (said.kind === 'paid') await this.#settle(said.id, said.cost, said.tokens)
    else if (said.kind === 'cost') {
      this.#spendAll('cost', said.cost)
      if (said.agent !== undefined) this.#spend(balanceOf(this.#o.nameOf(said.agent)), said.cost)
    } else if (said.kind === 'gone') {
      const isTheirs = ({ id }: Asked) => id.startsWith(`${said.who} `) || id.startsWith(`${said.who}.`)
      this.#waiting = this.#waiting.filter((one) => !isTheirs(one) || one.isPaid)
      for (const one of [...this.#held.values(), ...this.#waiting].filter(isTheirs)) await this.#settle(one.id, one.claim?.cost ?? 0, 0)
    } else for (const { id } of this.#waiting.splice(0)) this.#lender.answer(id, fault('budget_spent', said.why))
  }

  #ask(id: string, claim: Claim | undefined): void {
    const needs: Need[] = []
    const need = (kind: Kind, amount: number, isLookedAt = false): void => {
      for (const balance of [kind, sharedKey(kind)]) if (this.#balances.has(balance)) needs.push({ balance, amount, isLookedAt })
    }
    if (claim) need('cost', claim.cost)
    else {
      need('calls', 1)
      need('tokens', 1, true)
    }
    if (claim?.agent) {
      const balance = balanceOf(this.#o.nameOf(claim.agent.name))
      this.#open(balance, claim.agent.cost)
      needs.push({ balance, amount: claim.cost })
    }
    this.#waiting.push({ id, needs, claim, isPaid: false })
    this.#notBeforeMs = 0
  }

  async #settle(id: string, cost: number, tokens: number): Promise<void> {
    const asked = this.#held.get(id) ?? this.#waiting.find((one) => one.id === id)
    if (!asked) return
    const hasHeld = this.#held.delete(id) || asked.isPaid
    this.#waiting = this.#waiting.filter((one) => one !== asked)
    if (!hasHeld || !asked.claim) return
    for (const { balance, amount } of asked.needs) {
      const known = this.#balances.get(balance)
      if (known) {
        known.free += amount
        known.held -= amount
      }
      this.#spend(balance, cost)
    }
    if (asked.claim.rate) await this.#o.engine.paced(this.#o.run, id, tokens)
  }

  #spendAll(kind: Kind, amount: number): void {
    this.#spend(kind, amount)
    this.#spend(sharedKey(kind), amount)
  }

  #spend(name: string, amount: number): void {
    const balance = this.#balances.get(name)
    if (!balance) return
    balance.free -= amount
    balance.spent += amount
  }

  async #grant(): Promise<void> {
    for (const asked of [...this.#waiting]) {
      const state = asked.isPaid ? 'had' : await this.#pay(asked)
      if (state === 'waits') {
        this.#notBeforeMs = Date.now() + WAIT_MS
        continue
      }
      const waitMs = state === 'had' && asked.claim?.rate ? await this.#o.engine.pace(this.#o.run, asked.id, asked.claim) : 0
      if (waitMs > 0) {
        this.#notBeforeMs = Date.now() + Math.min(waitMs, WAIT_MS)
        continue
      }
      this.#waiting = this.#waiting.filter((one) => one !== asked)
      if (state !== 'had') this.#lender.answer(asked.id, state)
      else {
        if (asked.claim) this.#held.set(asked.id, asked)
        this.#lender.answer(asked.id)
      }
    }
  }

  /** All that it needs, or nothing. A fault: it is unavailable. */
  async #pay(asked: Asked): Promise<'had' | 'waits' | Fault> {
    for (const { balance: name, amount } of asked.needs) {
      const balance = this.#balances.get(name)
      if (!balance || balance.free >= amount) continue
      const lent = await this.#lend(balance, { need: amount - Math.max(0, balance.free), isReturning: false })
      // What is held here may cost less in the end.
      if (lent === 'none' && balance.held === 0) return spentFault(name, balance.limit, asked.claim)
      // Else two workers could block each other.
      if (lent !== 'lent') {
        await this.#lend(balance, { need: 0, isReturning: true })
        return 'waits'
      }
    }
    for (const { balance: name, amount, isLookedAt } of asked.needs) {
      const balance = this.#balances.get(name)
      if (!balance || isLookedAt) continue
      balance.free -= amount
      if (asked.claim) balance.held += amount
      else balance.spent += amount
    }
    asked.isPaid = asked.claim !== undefined
    return 'had'
  }

  async #lend(balance: Balance, { need, isReturning }: { need: number; isReturning: boolean }): Promise<'lent' | 'waits' | 'none'> {
    const { spent, run, name, limit } = balance
    const back = isReturning ? Math.max(0, balance.free) : 0
    balance.spent = 0
    balance.free = Math.max(0, balance.free) - back
    const lent = await this.#o.engine.lend({ run, balance: name, limit, spent, back, need })
    if (typeof lent === 'string') return lent
    balance.free += lent
    return 'lent'
  }

  #isWanted(name: string): boolean {
    return this.#waiting.some(({ needs }) => needs.some(({ balance }) => balance === name))
  }

  #open(name: string, limit: number): void {
    if (!this.#balances.has(name)) this.#balances.set(name, newBalance(this.#o.run, name, limit))
  }
}

const KINDS = ['calls', 'tokens', 'cost'] as const
type Kind = (typeof KINDS)[number]

/** No run has this number. */
const ALL_RUNS = '0'

const newBalance = (run: string, name: string, limit: number): Balance => ({ run, name, limit, held: 0, free: 0, spent: 0, seen: 0 })

const sharedKey = (kind: Kind): string => `shared ${kind}`

/** What its processes have to ask for. */
const strictest = (own: Limits, shared: Limits): Limits => ({
  calls: leastOf(own.calls, shared.calls),
  tokens: leastOf(own.tokens, shared.tokens),
  cost: leastOf(own.cost, shared.cost),
})

/** Delay before loans of others are checked again (ms). */
const WAIT_MS = 100

const AGENT = 'cost of '
const balanceOf = (agent: string): string => `${AGENT}${agent}`

/** `balance`: a kind, `sharedKey` of one, or that of an agent. */
const spentFault = (balance: string, limit: number, claim: Claim | undefined): Fault => {
  if (!claim) {
    const isCalls = balance === 'calls' || balance === sharedKey('calls')
    return fault(
      'budget_spent',
      isCalls ? `${limit} calls are made, as many as --max-calls allows` : `the ${limit} tokens of --max-total-tokens are used`,
    )
  }
  const isOwn = balance.startsWith(AGENT)
  const [of, name] = isOwn ? ['this agent (max_cost)', 'max_cost'] : ['--max-cost', '--max-cost']
  const next = nextRequestOf(claim)
  const said = sayNextRequest(next, { name, cost: toDollars(limit) })
  return fault('budget_spent', `of the $${toDollars(limit)} of ${of} not enough is left: ${said}`, {
    next,
    ...(isOwn ? { limit: 'max_cost' } : {}),
  })
}
