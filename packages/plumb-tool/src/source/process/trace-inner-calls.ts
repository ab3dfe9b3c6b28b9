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
): ((event: ToolCallEvent | ToolResultEvent) => void) => {
  const { onCall } = session
  if (!onCall) return () => {}
  const open = new Map<string, Begun>()
  return (event) => {
    const key = JSON.stringify([event.agent, event.parent, event.id])
    if (event.kind === 'tool_call') {
      if (open.size < MAX_OPEN) open.set(key, { started: Date.now(), input: event.input as Json })
      return
    }
    const ms = Number.isFinite(event.ms) ? Math.max(0, event.ms) : 0
    const { started, input } = open.get(key) ?? { started: Date.now() - ms, input: null }
    open.delete(key)
    const within = Number.isSafeInteger(event.depth) ? Math.min(MAX_DEPTH, Math.max(1, Number(event.depth) - processes + 1)) : 1
    // Models choose call ids, so two agents may use the same; the depth tells them apart.
    const isOfChild = within === 1 || event.parent === undefined
    onCall({
      tool: event.name,
      id: `${outer}/${event.id}`,
      agent: typeof event.agent === 'string' ? event.agent : name,
      input,
      ok: event.is_error !== true,
      started: new Date(started).toISOString(),
      ms,
      attempts: 1,
      cached: false,
      truncated: false,
      repairs: [],
      stages: [],
      depth: depth + within,
      parent: isOfChild ? outer : `${outer}/${event.parent}`,
    } satisfies CallEnvelope)
  }
}
