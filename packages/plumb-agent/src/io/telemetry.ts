// What an agent tells of itself while it works: one object a line, `kind` first, then its fields, then who and when.

import { type OfInput, scrub, type Telemetry } from '@plumb/wire'
import { writeBody } from '../provider/written-json.js'

/** An output is emitted as the text that went out, so that its numbers keep their digits. */
export type TelemetryEvent = (Exclude<Telemetry, { kind: 'output' }> | { readonly kind: 'output'; readonly json: string }) &
  Partial<OfInput>

export type Emit = (event: TelemetryEvent) => void

/** Without `write` nothing is emitted. */
export const openTelemetry = (agent: string, write: ((line: string) => void) | undefined): Emit => {
  const place = placeIn(process.env)
  const who = `,"agent":${JSON.stringify(agent)}${membersOf(place)}`
  return (event) => {
    const depth = event.kind === 'tool_call' || event.kind === 'tool_result' ? event.depth : undefined
    const isInner = depth !== undefined
    const told = isInner ? { ...event, depth: (place.depth ?? 0) + depth } : event
    const by = isInner ? `,"agent":${JSON.stringify(agent)}` : who
    write?.(scrub(`{"kind":"${event.kind}"${fieldsOf(told)}${by},"time":"${new Date().toISOString()}"}`))
  }
}

// An agent that a tool has started: in which call, and how many of those stand in one another.
const placeIn = ({ PLUMB_PARENT, PLUMB_DEPTH = '' }: NodeJS.ProcessEnv): { readonly parent?: string; readonly depth?: number } => ({
  ...(PLUMB_PARENT ? { parent: PLUMB_PARENT } : {}),
  ...(/^[1-9]\d{0,2}$/.test(PLUMB_DEPTH) ? { depth: Number(PLUMB_DEPTH) } : {}),
})

const fieldsOf = (event: TelemetryEvent): string => {
  if (event.kind === 'output') {
    const { kind: _, json, ...fields } = event
    return `,"value":${json}${membersOf(fields)}`
  }
  const { kind, ...fields } = event
  // What a model wrote as the input keeps its digits too.
  return membersOf(fields, kind === 'tool_call' ? writeBody : JSON.stringify)
}

const membersOf = (fields: object, write: (value: object) => string = JSON.stringify): string => {
  const members = write(fields).slice(1, -1)
  return members === '' ? '' : `,${members}`
}
