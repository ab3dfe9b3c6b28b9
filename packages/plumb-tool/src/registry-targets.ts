// Which tools say by their input what they reach.

import type { ToolPlan } from '@plumb/lang'
import { type TargetsOf, targetsByFields } from './call/targets.js'
import type { BareTool } from './source/make.js'

/** Undefined: its input does not say. */
export const targetsOf = ({ body }: ToolPlan, { writes }: BareTool): TargetsOf | undefined => {
  if (body.kind !== 'tool' || body.source !== 'builtin') return undefined
  const { roots } = body.config
  return targetsByFields({
    ...(roots ? { roots: Object.values(roots as Readonly<Record<string, string>>) } : {}),
    ...(writes ? { writes } : {}),
  })
}
