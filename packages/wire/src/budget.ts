// What a run may spend, shared by all the processes of it: a file without a name, on one descriptor, to which each appends what it spends.
// Appending is atomic, so that the order of the lines is the same for all, and a process that comes too late sees it before it spends.

import { mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ledger, openLedger } from './budget/ledger.js'
import { type Fault, fault } from './error.js'
import { fail, type Result, succeed } from './result.js'
import { systemReason } from './system-reason.js'
import { MAX_CALL_TOKENS } from './tokens.js'

/** Where children of ours have it. */
export const BUDGET_FD = 10

export interface BudgetLimits {
  /** Requests to models; those that a provider refuses and those that repair an answer count too. */
  readonly calls: number | null
  /** In and out; what a call in flight will use is known when it is over. */
  readonly tokens: number | null
}

export interface Budget {
  readonly fd: number
  readonly limits: BudgetLimits
  /** Before a call. The fault, `budget_spent`: there is nothing left for it. */
  take(): Fault | undefined
  /** After it. What is no count of tokens counts as the most that a call may use. */
  use(tokens: number): void
  /** Nothing more is given out, whatever is left. */
  close(): void
  /** As far as is known now. */
  readonly spent: Spent
}

export interface Spent extends BudgetLimits {
  readonly calls: number
  readonly tokens: number
  /** Another call would be denied. */
  readonly isOver: boolean
}

/** The one of this process, which children of ours get without an option. */
let current: Budget | undefined

export const currentBudget = (): Budget | undefined => current

/** A new one, for this process and all that it starts. */
export const openBudget = (limits: BudgetLimits): Result<Budget> => {
  let folder: string | undefined
  try {
    folder = mkdtempSync(join(tmpdir(), 'plumb-'))
    const fd = openSync(join(folder, 'budget'), 'ax+', 0o600)
    writeSync(fd, `${JSON.stringify(limits)}\n`)
    return joinBudget(fd)
  } catch (error) {
    return fail('write_failed', `no file for the budget can be made: ${systemReason(error as NodeJS.ErrnoException)}`)
  } finally {
    if (folder !== undefined) removeQuietly(folder)
  }
}

// What is left is of no use, and the budget is there.
const removeQuietly = (folder: string): void => {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // As said.
  }
}

/** That of a parent, on a descriptor of ours. */
export const joinBudget = (fd: number): Result<Budget> => {
  const ledger = openLedger(fd)
  const limits = readLimits(ledger.next())
  if (!limits) return fail('fd_invalid', `no budget can be read from descriptor ${fd}`)
  current = makeBudget(fd, limits, ledger)
  return succeed(current)
}

const readLimits = (line: string | undefined): BudgetLimits | undefined => {
  try {
    const { calls, tokens } = JSON.parse(line ?? '') as BudgetLimits
    return { calls, tokens }
  } catch {
    return undefined
  }
}

const makeBudget = (fd: number, limits: BudgetLimits, ledger: Ledger): Budget => {
  let [calls, tokens, isClosed, made] = [0, 0, false, 0]
  const left = (): boolean =>
    !isClosed && (limits.calls === null || calls < limits.calls) && (limits.tokens === null || tokens < limits.tokens)
  /** Whether the call that is asked for by this line may be made; without one, reads all there is. */
  const readTo = (own?: string): boolean => {
    for (let line = ledger.next(); line !== undefined; line = ledger.next()) {
      const isGranted = left()
      if (line.startsWith(CALL) && isGranted) calls++
      else if (line.startsWith(TOKENS)) tokens += countOf(Number(line.slice(TOKENS.length)))
      else if (line === CLOSED) isClosed = true
      if (line === own) return isGranted
    }
    return left()
  }
  return {
    fd,
    limits,
    take: () => {
      const own = `${CALL}${process.pid} ${++made}`
      ledger.append(own)
      return readTo(own) ? undefined : denied({ calls, tokens, isClosed }, limits)
    },
    use: (used) => ledger.append(`${TOKENS}${countOf(used)}`),
    close: () => ledger.append(CLOSED),
    get spent() {
      const isOver = !readTo()
      return { calls, tokens, isOver }
    },
  }
}

// Of several kinds of tokens, each within its bound.
const countOf = (tokens: number): number =>
  Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= KINDS * MAX_CALL_TOKENS ? tokens : MAX_CALL_TOKENS

const KINDS = 4
const CALL = 'call '
const TOKENS = 'tokens '
const CLOSED = 'closed'

const denied = ({ calls, tokens, isClosed }: { calls: number; tokens: number; isClosed: boolean }, limits: BudgetLimits): Fault => {
  if (isClosed) return fault('budget_spent', 'the time of this run is up')
  const isTokens = limits.calls === null || calls < limits.calls
  const what = isTokens ? `${tokens} of ${limits.tokens} tokens are used` : `${calls} of ${limits.calls} calls are made`
  return fault('budget_spent', `the budget of this run is spent: ${what}`)
}
