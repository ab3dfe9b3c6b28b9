// What an agent tells of itself while it works: one object a line, `kind` first, then its fields, then who and when.

import { scrub, type Telemetry } from '@plumb/wire'

/** An output is told as the text that went out, so that its numbers keep their digits. */
export type Event = Exclude<Telemetry, { kind: 'output' }> | { readonly kind: 'output'; readonly json: string }

export type Tell = (event: Event) => void

/** Without `write` nobody listens. */
export const openTelemetry = (agent: string, write: ((line: string) => void) | undefined): Tell => {
  const name = JSON.stringify(agent)
  return (event) => write?.(scrub(`{"kind":"${event.kind}"${fieldsOf(event)},"agent":${name},"time":"${new Date().toISOString()}"}`))
}

const fieldsOf = (event: Event): string => {
  if (event.kind === 'output') return `,"value":${event.json}`
  const { kind: _, ...fields } = event
  return `,${JSON.stringify(fields).slice(1, -1)}`
}
