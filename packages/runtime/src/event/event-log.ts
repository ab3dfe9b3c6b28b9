// Events of a part of a run by workers, as lines on a descriptor: the worker stores them in the tables, and the submitter writes them to a
// record. Events that the worker knows better are left out: inputs, errors, the begin and the end.

import { joinLineLog } from '@plumb/wire'
import { lineText, type RunEvent, type RunListener, type WireInfo } from './run-event.js'

/** Where a part has it. */
export const EVENTS_FD = 14

type Kept<T> = T extends { readonly kind: infer Kind }
  ? Omit<T, 'buf' | 'start' | 'end' | 'wire' | 'ms'> & {
      readonly kind: Kind
      /** Milliseconds since 1970. */
      readonly at: number
      /** Of a message, or what was asked or answered. */
      readonly text?: string
      readonly wire?: WireInfo['index']
    }
  : never

/** As a line has it. */
export type LoggedEvent = Kept<RunEvent>

const LEFT_OUT = new Set<RunEvent['kind']>(['begin', 'input', 'replayed', 'exited', 'end'])

const isLeftOut = (event: RunEvent): boolean =>
  LEFT_OUT.has(event.kind) ||
  (event.kind === 'fault' && !event.isHandled) ||
  (event.kind === 'telemetry' && ['text', 'partial', 'budget', 'tool_span'].includes(event.telemetry.kind))

/** Writes them to a file that is open for appending. */
export const eventLog = (fd: number): RunListener => {
  const append = joinLineLog(fd)
  return {
    on: (event) => {
      if (isLeftOut(event)) return
      const { ms: _, ...rest } = event
      const line = 'buf' in rest ? textOf(rest) : rest
      append(JSON.stringify({ at: Date.now(), ...line }))
    },
  }
}

const textOf = ({ buf, start, end, ...rest }: { buf: Buffer; start: number; end: number; wire?: WireInfo }): object => ({
  ...rest,
  ...(rest.wire ? { wire: rest.wire.index } : {}),
  text: lineText({ buf, start, end }),
})
