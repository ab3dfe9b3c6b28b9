// What a program says while it runs: telemetry, replies to control, and errors.

import type { Settled, Telemetry } from '@plumb/wire'

export type ProgramEvent = Exclude<Telemetry, Settled> & { readonly agent: string }

/** A line on ctrl_out; see plumb-agent(1). */
export type ControlEvent = { readonly kind: string } & Readonly<Record<string, unknown>>
