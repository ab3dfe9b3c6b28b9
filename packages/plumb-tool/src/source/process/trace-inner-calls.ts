// The calls of an agent that a tool has started, as it tells of them on its telemetry: they are traced below the call of that tool.

import type { Json } from '@plumb/lang'
import type { Call, CallEnvelope } from '../../call/call.js'
import type { ToolCallEvent, ToolResultEvent } from './read-telemetry.js'

/** Calls that have begun and not ended; an agent that tells of more is not believed. */
const MAX_OPEN = 1000
const MAX_DEPTH = 100

interface Begun {
  readonly started: number
  readonly input: Json
}

/** `processes`: how deep the child is, as it tells it; `name`: what it is called where it does not say. */
export const traceInnerCalls = (
  { id: outer, depth, session }: Call,
  processes: number,
  name: string,
): ((told: ToolCallEvent | ToolResultEvent) => void) => {
  const { trace } = session
  if (!trace) return () => {}
  const open = new Map<string, Begun>()
  return (told) => {
    const key = JSON.stringify([told.agent, told.parent, told.id])
    if (told.kind === 'tool_call') {
      if (open.size < MAX_OPEN) open.set(key, { started: Date.now(), input: told.input as Json })
      return
    }
    const ms = Number.isFinite(told.ms) ? Math.max(0, told.ms) : 0
    const { started, input } = open.get(key) ?? { started: Date.now() - ms, input: null }
    open.delete(key)
    const within = Number.isSafeInteger(told.depth) ? Math.min(MAX_DEPTH, Math.max(1, Number(told.depth) - processes + 1)) : 1
    // Ids are those of models: of two agents they may be the same, so that the depth says whose call it is.
    const isOfChild = within === 1 || told.parent === undefined
    trace({
      tool: told.name,
      id: `${outer}/${told.id}`,
      agent: typeof told.agent === 'string' ? told.agent : name,
      input,
      ok: told.is_error !== true,
      started: new Date(started).toISOString(),
      ms,
      attempts: 1,
      cached: false,
      truncated: false,
      repairs: [],
      stages: [],
      depth: depth + within,
      parent: isOfChild ? outer : `${outer}/${told.parent}`,
    } satisfies CallEnvelope)
  }
}
