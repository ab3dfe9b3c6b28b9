// The limits of money and rate: the shared budget, the prices, and the account of the agent.

import { type BudgetLimits, currentBudget, loadPrices, type Prices, pricedBy } from '@plumb/ledger'
import { fail, type RateLimit, type Result, sha256Of, succeed } from '@plumb/wire'
import type { PreparedAgent } from '../config/prepare.js'
import { unpriced } from './billing.js'

export interface AgentMoney {
  /** Undefined: money is not limited. */
  readonly prices: Prices | undefined
  readonly rate: RateLimit | undefined
}

/** `sent`: the limits of a parent that is asked for each call. */
export const openMoney = async ({ config, limits: own }: PreparedAgent, sent: BudgetLimits | undefined): Promise<Result<AgentMoney>> => {
  const { limit, rate, providerName: provider, model, priceAs } = config
  const limits = sent ?? own
  const isLimited = (limits?.cost ?? null) !== null || limit !== undefined
  if ((isLimited || rate) && !sent && !currentBudget()) {
    const { openBudget } = await import('@plumb/ledger/budget')
    const opened = openBudget({ calls: null, tokens: null, cost: limits?.cost ?? null, prices: limits?.prices })
    if (!opened.ok) return opened
  }
  const prices = isLimited ? await loadPrices(limits?.prices) : undefined
  const priced = pricedBy({ model, provider }, priceAs?.(model))
  if (prices && !prices.quote(priced)) return fail('config_invalid', unpriced(priced.model, prices))
  return succeed({ prices, rate: rate && { ...rate, account: accountOf(provider, config.account) } })
}

// A budget is a file: it does not contain the key.
const accountOf = (provider: string, account: string): string => `${provider} ${sha256Of(account, 16)}`
