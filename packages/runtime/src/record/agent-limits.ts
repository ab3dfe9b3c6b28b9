// Whether agents have limits of their own (`max_cost`, `rate`, `--rate`), which all of their processes in a run share.

import { hasAgentLimits, type Program } from '@plumb/lang'
import type { RunOptions } from '../options/run-options.js'

/** Here and in nested plumbs; a parent with a budget has already checked. */
export const sharesAgentLimits = (program: Program, { budgetFd, hasRates }: Pick<RunOptions, 'budgetFd' | 'hasRates'>): boolean =>
  budgetFd === undefined && (hasRates || hasAgentLimits(program))
