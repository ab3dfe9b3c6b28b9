// Traces the tool calls of an agent that runs inside a tool call, from its telemetry, below the outer call.

import type { Json } from '@plumb/lang'
import type { Call, CallEnvelope } from '../../call/call.js'
import type { ToolCallEvent, ToolResultEvent } from './read-telemetry.js'

/** Limit of calls that have started and not ended, against an agent that reports endless calls. */
const MAX_OPEN = 1000
const MAX_DEPTH = 100

interface Begun {
  readonly started: number
  readonly input: Json
}

/** `processes`: nesting depth of the child; `name`: used if an event names no agent. */
export const traceInnerCalls = (
  { id: outer, depth, session }: Call,
  processes: number,
  name: string,
): ((told: ToolCallEvent | ToolResultEvent) => void) => {
  const { onCall } = session
  if (!onCall) return () => {}
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
    // Models choose call ids, so two agents may use the same; the depth tells them apart.
    const isOfChild = within === 1 || told.parent === undefined
    onCall({
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
