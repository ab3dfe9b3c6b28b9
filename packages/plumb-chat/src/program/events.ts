// What a program says while it runs: telemetry, replies to control, and errors.

import { type Fault, isRecord, type Settled, type Telemetry } from '@plumb/wire'

export type ProgramEvent = Exclude<Telemetry, Settled> & { readonly agent: string }

/** A line on ctrl_out; see plumb-agent(1). */
export type ControlReply = { readonly kind: string } & Readonly<Record<string, unknown>>

export const isFault = (value: unknown): value is Fault & { readonly [key: string]: unknown } =>
  isRecord(value) && 'error' in value && typeof value.detail === 'string'
