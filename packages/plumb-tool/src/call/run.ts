// The innermost stage: the work itself. Whatever it throws is an error of the tool, and never ends the caller.

import type { Result } from '@plumb/wire'
import type { JsonText } from '../json-text.js'
import type { Call } from './call.js'
import { cancelled } from './cancelled.js'
import { note, showMs } from './note.js'
import { readThrown, thrownFault } from './thrown.js'
import type { Tool, Wrap } from './tool.js'

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
