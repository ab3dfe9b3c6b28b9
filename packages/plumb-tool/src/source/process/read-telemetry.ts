// Reads the telemetry of a child: usage, and the tool calls of the child and its own children.

import type { Readable } from 'node:stream'
import { LineReader, parseJson, type Telemetry } from '@plumb/wire'
import type { AgentUsage } from '../../call/call.js'

type Reported<Kind extends Telemetry['kind']> = Extract<Telemetry, { kind: Kind }> & {
  readonly agent: string
  /** Nesting depth of the process that made the call, and the id of the call that started that process. */
  readonly depth?: number
  readonly parent?: string
}

export type ToolCallEvent = Reported<'tool_call'>
export type ToolResultEvent = Reported<'tool_result'>

export interface TelemetryListener {
  readonly used: (event: AgentUsage) => void
  readonly called: (event: ToolCallEvent | ToolResultEvent) => void
}

const KINDS = ['usage', 'tool_call', 'tool_result'] as const
/** `kind` is near the start of an event, so most lines need not be parsed. */
const HEAD_BYTES = 32

/** Resolves at end of file. */
export const readTelemetry = (telemetry: Readable, listener: TelemetryListener): Promise<void> =>
  new Promise((resolve) => {
    const read = (): void => {
      while (reader.next()) if (!reader.fault) readLine(reader, listener)
      if (reader.hasEnded) resolve()
    }
    const reader = new LineReader(telemetry, { onReadable: read })
  })

const readLine = ({ buf, start, end }: LineReader, { used, called }: TelemetryListener): void => {
  const head = buf.toString('latin1', start, Math.min(end, start + HEAD_BYTES))
  if (!KINDS.some((kind) => head.includes(`"${kind}"`))) return
  const parsed = parseJson(buf, start, end)
  const event = (parsed.ok ? parsed.value : null) as AgentUsage | ToolCallEvent | ToolResultEvent | null
  if (event?.kind === 'usage') used(event)
  else if ((event?.kind === 'tool_call' || event?.kind === 'tool_result') && typeof event.id === 'string' && typeof event.name === 'string')
    called(event)
}

/** Values that are not positive integers count as 0. */
export const countTokens = ({ input_tokens, output_tokens }: AgentUsage): number => countOf(input_tokens) + countOf(output_tokens)

const countOf = (value: unknown): number => (Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0)
