// What a lowered process may do, for a prompt file that is mounted as a tool.

import type { Bound, ToolPlan } from '@plumb/lang'
import type { Effect } from '@plumb/policy'
import { effectsOf } from '@plumb/policy'

/** Every prompt may read files and ask a model. */
const OF_EVERY_PROMPT: readonly Effect[] = ['fs.read', 'model']

/** Those that the tool which mounts it has to name. */
export const effectsOfProcess = (bound: Bound): readonly Effect[] => {
  const lowered: Pick<ToolPlan, 'bound' | 'body'> = {
    bound: { ...bound },
    body: { kind: 'tool', source: 'process', config: {}, process: { kind: 'bound', bound }, parts: [] },
  }
  return effectsOf(lowered as ToolPlan).filter((effect) => !OF_EVERY_PROMPT.includes(effect))
}
