// Whether agents have limits of their own (`max_cost`, `rate`, `--rate`), which all of their processes in a run share.

import { hasAgentLimits, type Program } from '@plumb/lang'
import type { RunOptions } from '../options/run-options.js'

/** Here and in nested plumbs; a parent with a budget has already checked. */
export const sharesAgentLimits = (program: Program, { parent, agents }: RunOptions): boolean =>
  parent.budgetFd === undefined && (agents.rates.length > 0 || hasAgentLimits(program))
