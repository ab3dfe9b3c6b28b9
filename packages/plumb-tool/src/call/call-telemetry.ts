// A call that is over as telemetry, for a parent that sees only the calls that it asked for.

import type { Telemetry } from '@plumb/wire'
import type { CallEnvelope } from './call.js'

interface ToldBy {
  /** Whose tool it is, where no agent inside a tool made the call. */
  readonly agent: string
  readonly time: string
  readonly parent?: string
  readonly depth: number
}

type CallTelemetry = Extract<Telemetry, { kind: 'tool_call' | 'tool_result' }> & ToldBy

/** Its beginning and its end; of a call from outside nothing, since who asked for it tells of it. */
export const callTelemetry = (envelope: CallEnvelope, agent: string): readonly CallTelemetry[] => {
  const { id, tool: name, input, ok, ms, parent, depth, started, result } = envelope
  if (depth === 0) return []
  const place = { agent: envelope.agent ?? agent, ...(parent === null ? {} : { parent }), depth: processDepth() + depth }
  const bytes = result === undefined ? 0 : Buffer.byteLength(JSON.stringify(result))
  return [
    { kind: 'tool_call', id, name, input, ...place, time: started },
    { kind: 'tool_result', id, name, is_error: !ok, ms, bytes, ...place, time: new Date().toISOString() },
  ]
}

/** In how many processes that tools have started this one stands. */
const processDepth = ({ PLUMB_DEPTH = '' } = process.env): number => (/^\d{1,3}$/.test(PLUMB_DEPTH) ? Number(PLUMB_DEPTH) : 0)
