// A call made safe: the stages in their one order, the same from an agent, the shell or MCP (plumb-tools(7), What happens to a call).
//
// The cache keeps its results with lru-cache, whose bounds, times to live and injected clock are just those that are needed. The other
// stages are our own: cockatiel cannot end a wait between attempts, lets calls queue behind a trial instead of refusing them, and goes by
// the wall clock; p-retry works on what is thrown and knows no retry-after; the newest of both, and of opossum, need Node.js 22.

import type { Result } from '@plumb/wire'
import type { JsonText } from '../json-text.js'
import { withBreaker } from './breaker.js'
import { withCache } from './cache.js'
import type { Call } from './call.js'
import { cancelled } from './cancelled.js'
import { note, showMs } from './note.js'
import { withOutput } from './output.js'
import { withPathLocks } from './path-locks.js'
import { withPermission } from './permission.js'
import { withRetry } from './retry.js'
import type { CallSettings } from './settings.js'
import { readThrown, thrownFault } from './thrown.js'
import { withTimeout } from './timeout.js'
import type { Tool, Wrap } from './tool.js'
import { withValidation } from './validate.js'

/** All stages around a tool, in their one order. */
export const secure = (tool: Tool, settings: CallSettings): Tool => {
  const { cacheMs, breaker, timeoutMs, targetsOf, validation = withValidation } = settings
  const stages: readonly (Wrap | undefined)[] = [
    validation,
    withPermission(settings),
    cacheMs === undefined ? undefined : withCache(cacheMs),
    withRetry(settings),
    breaker && withBreaker(breaker),
    targetsOf && withPathLocks(targetsOf),
    timeoutMs === undefined ? undefined : withTimeout({ timeoutMs }),
    withOutput(settings.maxOutput),
    withRun,
  ]
  return stages.reduceRight<Tool>((inner, wrap) => (wrap ? wrap(inner) : inner), tool)
}

/** The innermost stage: the work itself. Whatever it throws is an error of the tool, and never ends the caller. */
export const withRun: Wrap = (tool) => ({
  ...tool,
  run: async (input, call) => {
    if (call.signal.aborted) return cancelled(tool.name)
    const started = call.session.nowMs()
    const result = await attempt(tool, input, call)
    note(call, 'run', `${result.ok ? 'done' : result.error.error} in ${showMs(call.session.nowMs() - started)}`)
    return result
  },
})

const attempt = async (tool: Tool, input: JsonText, call: Call): Promise<Result<JsonText>> => {
  try {
    return await tool.run(input, call)
  } catch (error) {
    return { ok: false, error: { ...thrownFault(readThrown(error), `tool '${tool.name}'`), tool: tool.name } }
  }
}
