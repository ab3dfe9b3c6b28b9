// Whether agents have limits of their own (`max_cost`, `rate`), which all of their processes in a run share.

import { agentsOf, type Program } from '@plumb/lang'

/** Here and in nested plumbs. */
export const hasAgentLimits = (program: Program): boolean =>
  agentsOf(program).some(({ config }) => config.max_cost !== undefined || config.rate !== undefined)
