// Converts a finished call to telemetry, for a parent that sees only the calls that it requested.

import type { Telemetry } from '@plumb/wire'
import type { CallEnvelope } from './call.js'

interface CallOrigin {
  /** The owner of the tool, unless an agent inside a tool made the call. */
  readonly agent: string
  readonly time: string
  readonly parent?: string
  readonly depth: number
}

type CallTelemetry = Extract<Telemetry, { kind: 'tool_call' | 'tool_result' }> & CallOrigin

/** The beginning and the end of the call; nothing for a call from outside, which its requester reports. */
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

/** The number of tool-started processes around this one. */
const processDepth = ({ PLUMB_DEPTH = '' } = process.env): number => (/^\d{1,3}$/.test(PLUMB_DEPTH) ? Number(PLUMB_DEPTH) : 0)
