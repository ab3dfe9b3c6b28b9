// Where things leave the process: output, telemetry, tool requests and control replies, on descriptors of their own or in envelopes on stdout.

import { enclose, FDS, hasPortKey, LineWriter, openLineOutput } from '@plumb/wire'
import type { Reply } from './control.js'

export interface OutletOptions {
  readonly fds: ReadonlySet<number>
  readonly isMux: boolean
  /** Without envelopes, and with raw lines, a value with a `__port` of its own leaves as it is. */
  readonly takesEnvelopes: boolean
  readonly isRawOutput: boolean
  readonly hasTelemetry: boolean
  /** Somebody else runs the tools, and answers on fd 5 or in envelopes. */
  readonly asksForTools: boolean
}

export interface Outlets {
  readonly output: LineWriter
  readonly writeOutput: (json: string) => void
  /** Undefined: nobody listens. */
  readonly writeTelemetry: ((json: string) => void) | undefined
  /** Undefined: nobody runs tools for us. */
  readonly writeToolRequest: ((json: string) => void) | undefined
  /** Nobody reads tool requests any more. */
  onToolsClosed: () => void
  /** False: there is nowhere to send it. */
  readonly reply: (reply: Reply, isAsked: 'by-envelope' | 'by-descriptor') => boolean
  /** Producers should wait for `onDrain`. */
  readonly isFull: () => boolean
  onDrain: () => void
  readonly flush: () => void
  readonly end: () => Promise<unknown>
}

export const openOutlets = ({ fds, isMux, takesEnvelopes, isRawOutput, hasTelemetry, asksForTools }: OutletOptions): Outlets => {
  const output = new LineWriter(openLineOutput(FDS.output), { raw: isRawOutput })
  const onDescriptor = (fd: number) => (fds.has(fd) ? new LineWriter(openLineOutput(fd)) : undefined)
  const inEnvelopes = (port: string, json: string) => {
    const bytes = Buffer.from(json)
    const envelope = enclose(port, bytes, 0, bytes.length)
    output.write(envelope, 0, envelope.length)
  }

  const telemetry = hasTelemetry ? onDescriptor(FDS.telemetry) : undefined
  const replies = onDescriptor(FDS.ctrl_out)
  const requests = asksForTools ? onDescriptor(FDS.tool_req) : undefined
  const writers = [output, telemetry, replies].filter((writer) => writer !== undefined)

  return {
    output,
    writeOutput: (json) => {
      const bytes = Buffer.from(json)
      if (isMux || (takesEnvelopes && !isRawOutput && hasPortKey(bytes, 0, bytes.length))) inEnvelopes('output', json)
      else output.writeText(json)
    },
    writeTelemetry: telemetry
      ? (json) => telemetry.writeText(json)
      : hasTelemetry && isMux
        ? (json) => inEnvelopes('telemetry', json)
        : undefined,
    writeToolRequest: requests
      ? (json) => requests.writeText(json)
      : asksForTools && isMux
        ? (json) => inEnvelopes('tool_req', json)
        : undefined,
    set onToolsClosed(listener: () => void) {
      if (!requests) return
      requests.onClosed = listener
      requests.onFault = listener
    },
    reply: (reply, isAsked) => {
      const json = JSON.stringify(reply)
      if (replies) replies.writeText(json)
      else if (isAsked === 'by-envelope') inEnvelopes('ctrl_out', json)
      else return false
      return true
    },
    isFull: () => writers.some((writer) => writer.isFull),
    set onDrain(listener: () => void) {
      for (const writer of writers) writer.onDrain = listener
      // A reader that goes away while its pipe is full makes room too; whose output that is, run hears of it.
      for (const writer of [telemetry, replies]) {
        if (!writer) continue
        writer.onClosed = listener
        writer.onFault = listener
      }
    },
    flush: () => {
      telemetry?.flush()
      output.flush()
      replies?.flush()
    },
    end: () => Promise.all([...writers, ...(requests ? [requests] : [])].map((writer) => writer.end())),
  }
}
