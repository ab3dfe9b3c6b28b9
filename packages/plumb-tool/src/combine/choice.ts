// f + g: f; if it fails, g. A hand-off is the same for some errors only.

import type { Fault } from '@plumb/wire'
import type { Tool } from '../tool.js'
import { withEarlier } from './history.js'
import type { Run } from './run.js'

/** The next one is tried for errors that `isPassedOn`; never when nobody waits for the result any more. */
export const choiceOf =
  (tools: readonly Pick<Tool, 'run'>[], isPassedOn: (error: Fault) => boolean = () => true): Run =>
  async (input, call) => {
    const errors: Fault[] = []
    for (const tool of tools) {
      const result = await tool.run(input, call)
      if (result.ok) return result
      errors.push(result.error)
      if (call.signal.aborted || !isPassedOn(result.error)) break
    }
    return withEarlier(errors)
  }
