// A place in the queue of every path that the call writes.

import { preview } from '@plumb/wire'
import type { Wrap } from '../tool.js'
import { cancelled } from './cancelled.js'
import { note } from './note.js'
import { lockPaths } from './path-locks.js'
import type { TargetsOf } from './targets.js'

export const withPathLocks =
  (targetsOf: TargetsOf): Wrap =>
  (tool) => ({
    ...tool,
    run: async (input, call) => {
      const { written } = await targetsOf(input, call)
      if (written.length === 0) return tool.run(input, call)
      const asked = call.session.nowMs()
      const release = await lockPaths(written, call.signal)
      if (!release) return cancelled(tool.name)
      if (call.session.nowMs() - asked > 1)
        note(call, 'run', `waited for another call that writes ${written.map((p) => preview(p)).join(', ')}`)
      try {
        return await tool.run(input, call)
      } finally {
        release()
      }
    },
  })
