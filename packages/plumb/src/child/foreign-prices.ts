// Prices for foreign programs instead of agents, which report their tokens and do not know of budgets.

import { agentOf, type Graph } from '@plumb/lang'
import { currentBudget, loadPrices, type Prices } from '@plumb/wire'

/** Undefined: there is no such program, or no limit of money. */
export const openForeignPrices = async (graph: Graph, agentProgram: string | undefined): Promise<Prices | undefined> => {
  const plans = graph.nodes.flatMap(({ work }) => (work.kind === 'agent' ? [agentOf(work.bound)] : []))
  const foreign = plans.filter(({ config }) => config.command !== undefined || agentProgram !== undefined)
  if (foreign.length === 0) return undefined
  const budget = currentBudget()
  const isLimited = budget !== undefined && foreign.some(({ config }) => budget.limits.cost !== null || config.max_cost !== undefined)
  return isLimited ? loadPrices(budget.limits.prices) : undefined
}
