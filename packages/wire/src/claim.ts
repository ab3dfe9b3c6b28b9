// The maximum cost of a request to a model, and its rate: what is claimed of a budget before it is sent.

import type { Fault } from './error.js'
import { isRecord } from './is-record.js'
import { MAX_NANO, toDollars, toNano } from './money.js'
import { preview } from './preview.js'
import { fail, type Result, succeed } from './result.js'

export interface Claim {
  /** Nanodollars, at most. */
  readonly cost: number
  /** Tokens, at most. */
  readonly tokens: number
  /** The part of both that is for the answer: all of max_tokens. */
  readonly answer?: AnswerClaim
  /** The agent that has a limit of its own (`max_cost`). */
  readonly agent?: AgentLimit
  readonly rate?: RateLimit
}

export interface AnswerClaim {
  readonly tokens: number
  /** Nanodollars. */
  readonly cost: number
}

/** A request that did not fit, as an error object has it: dollars, and of them those of max_tokens. */
export interface NextRequest {
  readonly cost: number
  readonly max_tokens?: number
  readonly max_tokens_cost?: number
}

export const nextRequestOf = ({ cost, answer }: Claim): NextRequest => ({
  cost: toDollars(cost),
  ...(answer ? { max_tokens: answer.tokens, max_tokens_cost: toDollars(answer.cost) } : {}),
})

/** `limit`: the name of the limit, and its dollars. */
export const sayNextRequest = (
  { cost, max_tokens, max_tokens_cost }: NextRequest,
  limit: { readonly name: string; readonly cost: number },
): string => {
  const answer = max_tokens === undefined ? '' : `, $${max_tokens_cost} of it for max_tokens (${max_tokens})`
  const advice = cost <= limit.cost ? '' : `: raise ${limit.name}${answer === '' ? '' : ', or lower max_tokens'}`
  return `the next request may cost $${cost}${answer}${advice}`
}

/** Undefined: the error has none. */
export const nextRequestIn = ({ next }: Fault): NextRequest | undefined =>
  isRecord(next) && typeof next.cost === 'number' ? (next as unknown as NextRequest) : undefined

export interface AgentLimit {
  /** The same for all processes of this agent. */
  readonly name: string
  /** Nanodollars. */
  readonly cost: number
}

/** `max_cost`: in dollars, from the spec, if it has it; `binding`: the name of the agent in the file at `specPath`. */
export const agentLimit = (specPath: string, binding: string, max_cost: unknown): AgentLimit | undefined =>
  typeof max_cost === 'number' ? { name: `${specPath}#${binding}`, cost: toNano(max_cost) } : undefined

/** In any minute, of all agents with the same `account`. */
export interface RateLimit {
  /** A provider with one key of it. */
  readonly account: string
  readonly requests: number | null
  readonly tokens: number | null
}

/** In the form of `--rate`: `PROVIDER=REQUESTS/TOKENS`, of which one may be left out. Undefined: another text. */
export const readRate = (
  text: string,
): { readonly provider: string; readonly requests: number | null; readonly tokens: number | null } | undefined => {
  const [, provider = '', requests = '', tokens = ''] = /^([a-z0-9-]+)=([1-9]\d{0,14})?(?:\/([1-9]\d{0,14}))?$/.exec(text) ?? []
  if (provider === '' || requests + tokens === '') return undefined
  return { provider, requests: requests === '' ? null : Number(requests), tokens: tokens === '' ? null : Number(tokens) }
}

/** The parent's limit for this process, in nanodollars: PLUMB_BUDGET, in dollars. Undefined: none. What cannot be read is not a limit at all. */
export const givenBudget = ({ PLUMB_BUDGET: text = '' }: NodeJS.ProcessEnv): Result<number | undefined> => {
  if (text === '') return succeed(undefined)
  const nano = /^\d+(\.\d+)?(e-\d+)?$/.test(text) ? toNano(Number(text)) : Number.POSITIVE_INFINITY
  if (nano <= MAX_NANO) return succeed(nano)
  return fail(
    'usage',
    `PLUMB_BUDGET is '${preview(text, 80)}', and takes a number of dollars, such as 0.50: nothing is spent without a limit`,
  )
}

/** The least of these limits; null: there is none. */
export const leastOf = (...limits: readonly (number | null | undefined)[]): number | null => {
  const known = limits.filter((limit) => typeof limit === 'number')
  return known.length === 0 ? null : Math.min(...known)
}

/** A claim of another process. Undefined: not a claim. */
export const readClaim = (value: unknown): Claim | undefined => {
  if (!isRecord(value)) return undefined
  const { cost, tokens, answer, agent, rate } = value
  if (!isCount(cost) || !isCount(tokens)) return undefined
  if (answer !== undefined && !(isRecord(answer) && isCount(answer.cost) && isCount(answer.tokens))) return undefined
  if (agent !== undefined && !(isRecord(agent) && typeof agent.name === 'string' && isCount(agent.cost))) return undefined
  if (rate !== undefined && !(isRecord(rate) && typeof rate.account === 'string' && isLimit(rate.requests) && isLimit(rate.tokens)))
    return undefined
  return value as unknown as Claim
}

export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

const isLimit = (value: unknown): boolean => value === null || isCount(value)
