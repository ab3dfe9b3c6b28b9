// What a run may spend, shared by all the processes of it: a file without a name, on one descriptor, to which each appends what it spends.
// Appending is atomic, so that the order of the lines is the same for all, and a process that comes too late sees it before it spends.
//
//   {"calls":N,"tokens":N,…}   the limits: the first line
//   call WHO N                 a call is asked for; granted by what is before it
//   back WHO                   a call that was granted is not made
//   tokens N                   were used
//   claim WHO N {…}            money is claimed for a request, before it is sent; see claim.ts
//   pace WHO N MS {…}          a request is asked for by the rate of its provider, at this time of the machine's clock
//   paid WHO N COST TOKENS     the request has ended
//   cost N {…}                 was spent by what claims nothing
//   gone WHO                   a process has ended, with all that it had started
//   closed WHY                 nothing more is given out
//
// WHO is a process by its descent: r, its children r.1 and r.2, their children r.1.1.

import { closeSync, constants, mkdtempSync, renameSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AgentLimit,
  type Claim,
  type Fault,
  fail,
  fault,
  givenBudget,
  isAbsent,
  type Ledger,
  MAX_CALL_TOKENS,
  nextRequestOf,
  openLedger,
  type RateLimit,
  type Result,
  sayNextRequest,
  succeed,
  systemReason,
  toDollars,
} from '@plumb/wire'
import { atOwnPath, openOwnFile } from '@plumb/wire/output'
import { currentBudget, setCurrentBudget } from './current.js'
import type { Budget, BudgetLimits, Member, Reservation, Spent, SpentBefore } from './interface.js'
import { makeLentBudget, overBill } from './lent.js'
import { type ClaimState, Money } from './money.js'
import { Pace } from './pace.js'

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = constants

/** A new one, for this process and all that it starts. `path`: the file that keeps it; earlier spending in it counts. */
export const openBudget = (limits: BudgetLimits, path?: string): Result<Budget> => {
  let directory: string | undefined
  try {
    directory = path === undefined ? mkdtempSync(join(tmpdir(), 'plumb-')) : undefined
    const fresh = path === undefined ? join(directory ?? '', 'budget') : `${path}.new`
    atOwnPath(fresh, (at) => rmSync(at, { force: true }))
    const before = path === undefined ? undefined : readSpent(path)
    const fd = openOwnFile(fresh, O_RDWR | O_APPEND | O_CREAT | O_EXCL, 0o600)
    writeSync(fd, `${JSON.stringify(before ? { ...limits, before } : limits)}\n`)
    if (path !== undefined) atOwnPath(fresh, (from) => atOwnPath(path, (to) => renameSync(from, to)))
    return joinBudget(`${fd}:r`)
  } catch (error) {
    return fail('write_failed', `no file for the budget can be made: ${systemReason(error as NodeJS.ErrnoException)}`)
  } finally {
    if (directory !== undefined) removeQuietly(directory)
  }
}

/** Of a run that has ended: reservations of then may have been spent. Undefined: there is no such file. */
const readSpent = (path: string): SpentBefore | undefined => {
  if (isAbsent(path)) return undefined
  const fd = openOwnFile(path, O_RDONLY)
  try {
    const ledger = openLedger(fd)
    const limits = readLimits(ledger)
    if (!limits) return undefined
    const account = new Account(limits, ledger)
    account.read()
    account.money.abandon(() => true)
    return { calls: account.calls, tokens: account.tokens, cost: account.money.paid, agents: account.money.agents }
  } finally {
    closeSync(fd)
  }
}

// What is left is of no use, and the budget is there.
const removeQuietly = (directory: string): void => {
  try {
    rmSync(directory, { recursive: true, force: true })
  } catch {
    // As said.
  }
}

/** The parent's, by its descriptor and our name in it: `10:r.1`. */
export const joinBudget = (text: string): Result<Budget> => {
  const [, fd, name] = /^(\d+):(r(?:\.\d+)*)$/.exec(text) ?? []
  const ledger = openLedger(Number(fd))
  const limits = fd === undefined ? undefined : readLimits(ledger)
  if (!limits || name === undefined) return fail('fd_invalid', `no budget can be read from descriptor ${text}`)
  const at = Number(fd)
  const budget = limits.lent ? makeLentBudget(at, name, limits, ledger) : new SharedBudget(at, name, limits, ledger)
  setCurrentBudget(budget)
  return succeed(budget)
}

const readLimits = (ledger: Ledger): BudgetLimits | undefined => {
  try {
    const { calls, tokens, cost, prices, before, lent } = JSON.parse(ledger.next() ?? '') as BudgetLimits
    return { calls, tokens, cost, prices, before, lent }
  } catch {
    return undefined
  }
}

/** The account after all the lines. */
class Account {
  calls = 0
  tokens = 0
  closed: string | undefined
  readonly money: Money
  readonly pace = new Pace()
  readonly #limits: BudgetLimits
  readonly #ledger: Ledger

  constructor(limits: BudgetLimits, ledger: Ledger) {
    this.#limits = limits
    this.#ledger = ledger
    this.money = new Money(limits.cost)
    const { before } = limits
    if (!before) return
    this.calls = before.calls
    this.tokens = before.tokens
    this.money.restore(before.cost, before.agents)
  }

  get hasCallLeft(): boolean {
    const { calls, tokens } = this.#limits
    return this.closed === undefined && (calls === null || this.calls < calls) && (tokens === null || this.tokens < tokens)
  }

  get isOver(): boolean {
    return !this.hasCallLeft || this.money.isSpent
  }

  /** Reads all there is, or up to this line: whether it was granted. */
  read(own?: string): boolean {
    for (let line = this.#ledger.next(); line !== undefined; line = this.#ledger.next()) {
      const isGranted = this.#take(line)
      if (line === own) return isGranted
    }
    return this.hasCallLeft
  }

  #take(line: string): boolean {
    const [word, a = '', b = '', c = ''] = line.split(' ', 4)
    const id = `${a} ${b}`
    if (word === 'call') {
      const isGranted = this.hasCallLeft
      if (isGranted) this.calls++
      return isGranted
    }
    if (word === 'back') this.calls--
    else if (word === 'tokens') this.tokens += countOf(Number(a))
    else if (word === 'claim') this.money.ask(id, JSON.parse(line.slice(`${word} ${id} `.length)))
    else if (word === 'pace') {
      const { rate, tokens } = JSON.parse(line.slice(`${word} ${id} ${c} `.length)) as { rate: RateLimit; tokens: number }
      return this.pace.take(id, rate, tokens, Number(c))
    } else if (word === 'paid') {
      this.money.settle(id, Number(c))
      this.pace.settle(id, Number(line.slice(`${word} ${id} ${c} `.length)))
    } else if (word === 'cost') this.money.pay(Number(a), JSON.parse(line.slice(`${word} ${a} `.length)).agent)
    else if (word === 'gone') this.money.abandon((of) => of.startsWith(`${a} `) || of.startsWith(`${a}.`))
    else if (word === 'closed') {
      this.closed ??= line.slice(`${word} `.length)
      this.money.close()
    }
    return true
  }
}

/** How often a waiting claim is checked again (ms). */
const POLL_MS = [5, 10, 20, 40] as const

class SharedBudget implements Budget {
  readonly fd: number
  readonly limits: BudgetLimits
  readonly #name: string
  readonly #ledger: Ledger
  readonly #account: Account
  #made = 0
  #members = 0

  constructor(fd: number, name: string, limits: BudgetLimits, ledger: Ledger) {
    this.fd = fd
    this.limits = limits
    this.#name = name
    this.#ledger = ledger
    this.#account = new Account(limits, ledger)
  }

  take(): Fault | undefined {
    return this.#append(`call ${this.#name} ${++this.#made}`) ? undefined : deniedCall(this.#account, this.limits)
  }

  async ask(): Promise<Fault | undefined> {
    return this.take()
  }

  giveBack(): void {
    this.#ledger.append(`back ${this.#name}`)
  }

  use(tokens: number): void {
    this.#ledger.append(`tokens ${countOf(tokens)}`)
  }

  async reserve(claim: Claim, signal: AbortSignal, as?: Member): Promise<Result<Reservation>> {
    const id = `${as?.name ?? this.#name} ${++this.#made}`
    const state = await this.#whenGranted(id, claim, signal)
    const settle = (cost: number, tokens: number) => {
      this.#ledger.append(`paid ${id} ${cost} ${tokens}`)
      if (cost > claim.cost) this.#ledger.append(`closed ${overBill(cost, claim.cost)}`)
    }
    if (state === 'held' && claim.rate && !signal.aborted) await this.#whenInPace(id, claim.rate, claim.tokens, signal)
    if (state === 'held' && !signal.aborted && this.#account.closed === undefined) return succeed({ cost: claim.cost, settle })
    settle(0, 0)
    const error = signal.aborted ? fault('cancelled', 'the answer was dropped on request') : this.#denied(claim)
    return { ok: false, error }
  }

  pay(cost: number, agent?: string): void {
    this.#ledger.append(`cost ${cost} ${JSON.stringify({ agent })}`)
  }

  join(): Member {
    const member = `${this.#name}.${++this.#members}`
    return { name: member, leave: () => this.#ledger.append(`gone ${member}`) }
  }

  close(why = 'the time of this run is up'): void {
    this.#ledger.append(`closed ${why}`)
  }

  left(agent?: AgentLimit): number | null {
    const { limits } = this
    this.#account.read()
    const { money } = this.#account
    const of = [limits.cost === null ? null : limits.cost - money.paid - money.held]
    if (agent) of.push(agent.cost - money.paidBy(agent.name))
    const known = of.filter((one) => one !== null)
    return known.length === 0 ? null : Math.min(...known)
  }

  get spent(): Spent {
    this.#account.read()
    const { calls, tokens, money, isOver } = this.#account
    return { calls, tokens, cost: money.paid, held: money.held, isOver }
  }

  async #whenGranted(id: string, claim: Claim, signal: AbortSignal): Promise<ClaimState> {
    this.#ledger.append(`claim ${id} ${JSON.stringify(claim)}`)
    for (let tries = 0; ; tries++) {
      this.#account.read()
      const state = this.#account.money.stateOf(id) ?? 'over'
      if (state !== 'waiting' || signal.aborted) return state
      await pause(POLL_MS[Math.min(tries, POLL_MS.length - 1)] ?? 0, signal)
    }
  }

  async #whenInPace(id: string, rate: RateLimit, tokens: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const atMs = machineMs()
      const own = `pace ${id} ${atMs} ${JSON.stringify({ rate, tokens })}`
      this.#account.read()
      // Without a line if it would be refused: every process reads each line.
      if (this.#account.closed !== undefined || (this.#account.pace.mayTake(rate, tokens, atMs) && this.#append(own))) return
      await pause(Math.min(Math.max(this.#account.pace.nextMs(rate.account, atMs) - atMs, 5), MAX_PACE_MS), signal)
    }
  }

  #append(line: string): boolean {
    this.#ledger.append(line)
    return this.#account.read(line)
  }

  #denied(claim: Claim): Fault {
    const { agent } = claim
    const { money, closed } = this.#account
    if (closed !== undefined) return fault('budget_spent', closed)
    const isOwn = agent !== undefined && money.paidBy(agent.name) + claim.cost > agent.cost
    const [limit, paid, what, name] = isOwn
      ? [agent.cost, money.paidBy(agent.name), 'agent', 'max_cost']
      : [this.limits.cost ?? 0, money.paid, 'run', 'the limit']
    const next = nextRequestOf(claim)
    const said = sayNextRequest(next, { name, cost: toDollars(limit) })
    const detail = `$${toDollars(paid)} of the $${toDollars(limit)} of this ${what}${isOwn ? ' (max_cost)' : ''} are spent, and ${said}`
    return fault('budget_spent', detail, { next, ...(isOwn ? { limit: 'max_cost' } : {}) })
  }
}

/** Others may settle with fewer tokens than they requested. */
const MAX_PACE_MS = 500

/** The same in all processes of a machine, and monotonic. */
const machineMs = (): number => {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + Math.floor(nanoseconds / 1e6)
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })

// Several kinds of tokens, each within its bound.
const countOf = (tokens: number): number =>
  Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= KINDS * MAX_CALL_TOKENS ? tokens : MAX_CALL_TOKENS

const KINDS = 4

const deniedCall = ({ calls, tokens, closed }: Account, limits: BudgetLimits): Fault => {
  if (closed !== undefined) return fault('budget_spent', closed)
  const isTokens = limits.calls === null || calls < limits.calls
  const what = isTokens ? `${tokens} of ${limits.tokens} tokens are used` : `${calls} of ${limits.calls} calls are made`
  return fault('budget_spent', `the budget of this run is spent: ${what}`)
}

/** For agents inside tools: PLUMB_BUDGET applies, and so do the agents' own limits. Nothing is opened if there are none, or if there is a budget. */
export const openOwnBudget = (hasAgentLimits: boolean): Result<void> => {
  if (currentBudget()) return succeed(undefined)
  const cost = givenBudget(process.env)
  if (!cost.ok) return cost
  if (cost.value === undefined && !hasAgentLimits) return succeed(undefined)
  const opened = openBudget({ calls: null, tokens: null, cost: cost.value ?? null })
  return opened.ok ? succeed(undefined) : opened
}
