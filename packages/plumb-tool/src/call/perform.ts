// One call from its beginning to its end, and its envelope.

import type { Json } from '@plumb/lang'
import type { Result } from '@plumb/wire'
import type { JsonText } from '../json-text.js'
import type { Call, CallContext, CallEnvelope, CallRecord, CallTrace, Session } from './call.js'
import type { Tool } from './tool.js'

export interface CallStart {
  readonly session: Session
  readonly signal: AbortSignal
  /** Generated if left out. */
  readonly id?: string
  /** The call that makes this one, if any. */
  readonly parent?: Pick<Call, 'id' | 'depth' | 'whole' | 'leftOut' | 'delivery'>
  readonly delivery?: string | undefined
  /** Called with each element that `each(…, on_error: "skip")` leaves out. Default: that of `parent`, else it is a warning. */
  readonly leftOut?: Call['leftOut']
}

export interface Performed {
  readonly result: Result<JsonText>
  readonly record: CallRecord
  readonly envelope: CallEnvelope
  /** The envelope as text, in which the numbers of input and result keep their digits. */
  readonly print: () => JsonText
}

let count = 0

/** A call with its input and result as text, in which numbers keep their digits. Never throws. `session.trace` gets its envelope. */
export const perform = async (
  tool: Tool,
  input: JsonText,
  { session, signal, id, parent, delivery = parent?.delivery, leftOut = parent?.leftOut }: CallStart,
): Promise<Performed> => {
  const trace = session.trace?.()
  const call: Call = {
    id: id ?? `${parent ? `${parent.id}/` : 'call-'}${++count}`,
    depth: parent ? parent.depth + 1 : 0,
    parent: parent?.id,
    whole: parent && (parent.whole ?? parent.id),
    leftOut,
    delivery,
    signal,
    traceparent: trace?.traceparent,
    record: { attempts: 0, cached: false, truncated: false, repairs: [], stages: [] },
    session,
  }
  const started = Date.now()
  const startedMs = session.nowMs()
  const result = await tool.run(input, call)
  const ms = Math.round((session.nowMs() - startedMs) * 1000) / 1000
  const performed = new Done(tool.name, call, call.record.edited ?? input, result, { started, ms })
  session.onCall?.(performed.envelope, contextOf(trace, call.record))
  return performed
}

const contextOf = (trace: CallTrace | undefined, { mcp }: CallRecord): CallContext | undefined =>
  trace || mcp ? { ...(trace?.span === undefined ? {} : { span: trace.span }), ...(mcp ? { mcp } : {}) } : undefined

interface Times {
  /** Wall clock, ms. */
  readonly started: number
  readonly ms: number
}

class Done implements Performed {
  #envelope: CallEnvelope | undefined

  constructor(
    private readonly tool: string,
    private readonly call: Call,
    private readonly input: JsonText,
    readonly result: Result<JsonText>,
    private readonly times: Times,
  ) {}

  get record(): CallRecord {
    return this.call.record
  }

  // Most calls are not traced.
  get envelope(): CallEnvelope {
    this.#envelope ??= envelopeOf(this.tool, this.call, this.input, this.result, this.times)
    return this.#envelope
  }

  readonly print = (): JsonText => printEnvelope(this.envelope, this.input, this.result)
}

const envelopeOf = (
  tool: string,
  { id, depth, parent, record }: Call,
  input: JsonText,
  result: Result<JsonText>,
  { started, ms }: Times,
): CallEnvelope => {
  const { attempts, cached, truncated, tokens, cost } = record
  // Later notes of a cancelled call are not part of it.
  const [repairs, stages] = [[...record.repairs], [...record.stages]]
  const outcome = result.ok ? { ok: true, result: parsed(result.value) } : { ok: false, error: result.error }
  const spent = { ...(tokens === undefined ? {} : { tokens }), ...(cost === undefined ? {} : { cost }) }
  const seen = { attempts, cached, truncated, repairs, stages, depth, parent: parent ?? null }
  return { tool, id, input: parsed(input), ...outcome, started: new Date(started).toISOString(), ms, ...seen, ...spent }
}

// An input that is not JSON is reported as text.
const parsed = (json: JsonText): Json => {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

const printEnvelope = (envelope: CallEnvelope, input: JsonText, result: Result<JsonText>): JsonText => {
  const fields = Object.entries(envelope).map(([key, value]) => {
    if (key === 'result' && result.ok) return `"result":${result.value}`
    const isText = key === 'input' && typeof value !== 'string'
    return `${JSON.stringify(key)}:${isText ? input.replace(/[\n\r]\s*/g, '') : JSON.stringify(value)}`
  })
  return `{${fields.join(',')}}`
}
