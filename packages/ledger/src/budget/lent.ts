// A budget whose limits hold over several machines: the processes here ask for each call and each claim, in the file that they share, and who
// has opened it lends them what it has of the whole.
//
//   call WHO N               a call is asked for
//   claim WHO N {…}          so is money, or a place in the rate of a provider
//   yes WHO N                it may be made
//   no WHO N {…}             it may not: the fault
//
// All other lines are those of a budget of one machine.

import {
  type AgentLimit,
  type Claim,
  type Fault,
  fail,
  fault,
  type Ledger,
  leastOf,
  openAnonymousLog,
  openLedger,
  type Result,
  succeed,
  systemReason,
  toDollars,
} from '@plumb/wire'
import type { Budget, BudgetLimits, Member, Reservation } from './interface.js'

/** What the processes of a run report of their spending; `id` names one call or claim. */
export type Spending =
  | { readonly kind: 'call'; readonly id: string }
  | { readonly kind: 'claim'; readonly id: string; readonly claim: Claim }
  /** A granted call is not made. */
  | { readonly kind: 'back' }
  | { readonly kind: 'tokens'; readonly tokens: number }
  | { readonly kind: 'paid'; readonly id: string; readonly cost: number; readonly tokens: number }
  | { readonly kind: 'cost'; readonly cost: number; readonly agent: string | undefined }
  /** The process, and all below it, has ended. */
  | { readonly kind: 'gone'; readonly who: string }
  | { readonly kind: 'closed'; readonly why: string }

/** The end that lends. */
export interface Lender {
  /** For the processes that are started. */
  readonly budget: Budget
  /** The next report. Undefined: none. */
  next(): Spending | undefined
  /** Answers a call or a claim; a fault: it may not be made. */
  answer(id: string, refused?: Fault): void
}

/** For processes that are started with `budget`. */
export const openLender = (limits: BudgetLimits): Result<Lender> => {
  try {
    const fd = openAnonymousLog()
    const ledger = openLedger(fd)
    ledger.append(JSON.stringify({ ...limits, lent: true }))
    ledger.next()
    return succeed({
      budget: makeLentBudget(fd, 'r', limits, openLedger(fd)),
      next: () => {
        for (let line = ledger.next(); line !== undefined; line = ledger.next()) {
          const said = readSpending(line)
          if (said) return said
        }
        return undefined
      },
      answer: (id, refused) => ledger.append(refused ? `no ${id} ${JSON.stringify(refused)}` : `yes ${id}`),
    })
  } catch (error) {
    return fail('write_failed', `no file for the budget can be made: ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}

/** Undefined: it is an answer. */
const readSpending = (line: string): Spending | undefined => {
  const [word, a = '', b = '', c = '', d = ''] = line.split(' ', 5)
  const id = `${a} ${b}`
  const rest = (start: string) => line.slice(start.length + 1)
  if (word === 'call') return { kind: 'call', id }
  if (word === 'claim') return { kind: 'claim', id, claim: JSON.parse(rest(`claim ${id}`)) as Claim }
  if (word === 'back') return { kind: 'back' }
  if (word === 'tokens') return { kind: 'tokens', tokens: Number(a) }
  if (word === 'paid') return { kind: 'paid', id, cost: Number(c), tokens: Number(d) }
  if (word === 'cost') return { kind: 'cost', cost: Number(a), agent: (JSON.parse(rest(`cost ${a}`)) as { agent?: string }).agent }
  if (word === 'gone') return { kind: 'gone', who: a }
  return word === 'closed' ? { kind: 'closed', why: rest('closed') } : undefined
}

/** How often an answer is polled (ms). */
const POLL_MS = [2, 5, 10, 20] as const

/** `name`: of this process; `ledger`: from the beginning of the file, or after its limits. */
export const makeLentBudget = (fd: number, name: string, limits: BudgetLimits, ledger: Ledger): Budget => {
  const answers = new Map<string, Fault | undefined>()
  let closed: string | undefined
  let [made, members] = [0, 0]
  const isOurs = (who: string): boolean => who === name || who.startsWith(`${name}.`)

  const read = (): void => {
    for (let line = ledger.next(); line !== undefined; line = ledger.next()) {
      const [word, who = '', n = ''] = line.split(' ', 3)
      if (word === 'closed') closed ??= line.slice('closed '.length)
      const id = `${who} ${n}`
      if (!isOurs(who)) continue
      if (word === 'yes') answers.set(id, undefined)
      else if (word === 'no') answers.set(id, JSON.parse(line.slice(`no ${id} `.length)) as Fault)
    }
  }

  /** Undefined: it was granted, or is no longer wanted. */
  const answerTo = async (id: string, signal: AbortSignal | undefined): Promise<Fault | undefined> => {
    for (let tries = 0; ; tries++) {
      read()
      if (answers.has(id)) {
        const refused = answers.get(id)
        answers.delete(id)
        return refused
      }
      if (closed !== undefined) return fault('budget_spent', closed)
      if (signal?.aborted) return undefined
      await new Promise((resolve) => setTimeout(resolve, POLL_MS[Math.min(tries, POLL_MS.length - 1)]))
    }
  }

  const reserve = async (claim: Claim, signal: AbortSignal, as?: Member): Promise<Result<Reservation>> => {
    const id = `${as?.name ?? name} ${++made}`
    ledger.append(`claim ${id} ${JSON.stringify(claim)}`)
    const settle = (cost: number, tokens: number) => {
      ledger.append(`paid ${id} ${cost} ${tokens}`)
      if (cost > claim.cost) ledger.append(`closed ${overBill(cost, claim.cost)}`)
    }
    const refused = await answerTo(id, signal)
    if (!refused && !signal.aborted) return succeed({ cost: claim.cost, settle })
    settle(0, 0)
    return { ok: false, error: signal.aborted ? fault('cancelled', 'the answer was dropped on request') : (refused as Fault) }
  }

  return {
    fd,
    limits,
    take: () => {
      read()
      const isFree = limits.calls === null && limits.tokens === null
      return isFree && closed === undefined
        ? undefined
        : fault('budget_spent', closed ?? 'a program that asks for nothing has no part of it')
    },
    ask: async (signal) => {
      if (limits.calls === null && limits.tokens === null && closed === undefined) return undefined
      const id = `${name} ${++made}`
      ledger.append(`call ${id}`)
      return answerTo(id, signal)
    },
    giveBack: () => {
      if (limits.calls !== null) ledger.append(`back ${name}`)
    },
    use: (tokens) => ledger.append(`tokens ${tokens}`),
    reserve,
    pay: (cost, agent) => ledger.append(`cost ${cost} ${JSON.stringify({ agent })}`),
    join: () => {
      const member = `${name}.${++members}`
      return { name: member, leave: () => ledger.append(`gone ${member}`) }
    },
    close: (why = 'the time of this run is up') => ledger.append(`closed ${why}`),
    left: (agent?: AgentLimit) => leastOf(limits.cost, agent?.cost),
    get spent() {
      read()
      return { calls: 0, tokens: 0, cost: 0, held: 0, isOver: closed !== undefined }
    },
  }
}

export const overBill = (cost: number, most: number): string =>
  `a provider bills $${toDollars(cost)} for a request that can cost $${toDollars(most)} ` +
  'at most by the prices, so that no limit would hold: the run is ended'
