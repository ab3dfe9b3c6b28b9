// The telemetry of an agent: one object a line, `kind` first, then its fields, then agent and time.

import { type OfInput, scrub, type Telemetry } from '@plumb/wire'
import { writeBody } from './written-json.js'

/** An output, and a part of one, is emitted as the text that was written, so that its numbers keep their digits. */
export type TelemetryEvent = (
  | Exclude<Telemetry, { kind: 'output' | 'partial' }>
  | { readonly kind: 'output'; readonly json: string }
  | { readonly kind: 'partial'; readonly json?: string; readonly open: readonly string[] }
) &
  Partial<OfInput>

export type Emit = (event: TelemetryEvent) => void

const NOTHING: Emit = () => {}

export interface TelemetryOptions {
  /** The reader knows from numbered lines what has settled. */
  readonly isNumbered: boolean
  /** Without the text of answers. */
  readonly isBrief: boolean
}

/** Without `write` nothing is emitted. */
export const openTelemetry = (agent: string, write: ((line: string) => void) | undefined, options: TelemetryOptions): Emit => {
  const { isNumbered, isBrief } = options
  if (!write) return NOTHING
  const place = placeIn(process.env)
  const who = `,"agent":${JSON.stringify(agent)}${membersOf(place)}`
  return (event) => {
    if (isNumbered && event.kind === 'settled') return
    const depth = event.kind === 'tool_call' || event.kind === 'tool_result' ? event.depth : undefined
    const isInner = depth !== undefined
    const placed = isInner ? { ...event, depth: (place.depth ?? 0) + depth } : event
    const by = isInner ? `,"agent":${JSON.stringify(agent)}` : who
    write(scrub(`{"kind":"${event.kind}"${fieldsOf(placed, isBrief)}${by},"time":"${new Date().toISOString()}"}`))
  }
}

// For an agent that a tool has started: in which call, and at which depth.
const placeIn = ({ PLUMB_PARENT, PLUMB_DEPTH = '' }: NodeJS.ProcessEnv): { readonly parent?: string; readonly depth?: number } => ({
  ...(PLUMB_PARENT ? { parent: PLUMB_PARENT } : {}),
  ...(/^[1-9]\d{0,2}$/.test(PLUMB_DEPTH) ? { depth: Number(PLUMB_DEPTH) } : {}),
})

const fieldsOf = (event: TelemetryEvent, isBrief: boolean): string => {
  if (event.kind === 'output') {
    const { kind: _, json, ...fields } = event
    return `${isBrief ? '' : `,"value":${json}`}${membersOf(fields)}`
  }
  if (event.kind === 'partial') {
    const { kind: _, json, ...fields } = event
    return `${json === undefined ? '' : `,"value":${json}`}${membersOf(fields)}`
  }
  if (event.kind === 'text' && isBrief) {
    const { kind: _, delta: __, ...fields } = event
    return membersOf(fields)
  }
  const { kind, ...fields } = event
  // Inputs of tool calls keep their digits too.
  return membersOf(fields, kind === 'tool_call' || kind === 'approval' ? writeBody : JSON.stringify)
}

const membersOf = (fields: object, write: (value: object) => string = JSON.stringify): string => {
  const members = write(fields).slice(1, -1)
  return members === '' ? '' : `,${members}`
}
