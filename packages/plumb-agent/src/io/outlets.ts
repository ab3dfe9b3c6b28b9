// Where things leave the process: output, telemetry, tool requests and control replies, on descriptors of their own or in envelopes on stdout.

import { enclose, type Fault, FDS, fault, hasPortKey, LineWriter, openLineOutput, startDeadline } from '@plumb/wire'
import type { Reply } from '../control/message.js'

export interface OutletOptions {
  readonly fds: ReadonlySet<number>
  readonly isMux: boolean
  /** Without envelopes, and with raw lines, a value with a `__port` of its own leaves as it is. */
  readonly takesEnvelopes: boolean
  readonly isRawOutput: boolean
  readonly hasTelemetry: boolean
  /** Somebody else runs the tools, and answers on fd 5 or in envelopes. */
  readonly asksForTools: boolean
  readonly warn: (fault: Fault) => void
}

/** Control replies that are not read wait, and data goes on; beyond this they are dropped. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024
/** And for so long at the end. */
const REPLY_TIMEOUT_MS = 2_000

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
  /** What is told so far is with the kernel before what is written elsewhere from now on. */
  readonly flushTelemetry: () => void
  readonly end: () => Promise<unknown>
}

export const openOutlets = ({ fds, isMux, takesEnvelopes, isRawOutput, hasTelemetry, asksForTools, warn }: OutletOptions): Outlets => {
  const output = new LineWriter(openLineOutput(FDS.output), { raw: isRawOutput })
  const onDescriptor = (fd: number) => (fds.has(fd) ? new LineWriter(openLineOutput(fd)) : undefined)
  const inEnvelopes = (port: string, json: string) => {
    const bytes = Buffer.from(json)
    const envelope = enclose(port, bytes, 0, bytes.length)
    output.write(envelope, 0, envelope.length)
  }

  const telemetry = hasTelemetry ? onDescriptor(FDS.telemetry) : undefined
  const replies = fds.has(FDS.ctrl_out) ? openReplies(warn) : undefined
  const requests = asksForTools ? onDescriptor(FDS.tool_req) : undefined
  const writers = telemetry ? [output, telemetry] : [output]

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
      if (replies) return replies.write(json)
      if (isAsked === 'by-envelope') inEnvelopes('ctrl_out', json)
      else return false
      return true
    },
    isFull: () => writers.some((writer) => writer.isFull),
    set onDrain(listener: () => void) {
      for (const writer of writers) writer.onDrain = listener
      // A reader that goes away while its pipe is full makes room too; whose output that is, run hears of it.
      if (!telemetry) return
      telemetry.onClosed = listener
      telemetry.onFault = listener
    },
    flush: () => {
      telemetry?.flush()
      output.flush()
      replies?.flush()
    },
    flushTelemetry: () => telemetry?.flush(),
    end: () => Promise.all([...writers, ...(requests ? [requests] : []), ...(replies ? [replies] : [])].map((writer) => writer.end())),
  }
}

interface Replies {
  /** False: it is dropped. */
  readonly write: (json: string) => boolean
  readonly flush: () => void
  readonly end: () => Promise<unknown>
}

// Whoever sends control messages need not read what they are answered.
const openReplies = (warn: (fault: Fault) => void): Replies => {
  const stream = openLineOutput(FDS.ctrl_out)
  const writer = new LineWriter(stream, { fullBytes: MAX_REPLY_BYTES })
  let isWarned = false
  return {
    write: (json) => {
      if (!writer.isFull) {
        writer.writeText(json)
        return true
      }
      if (!isWarned) warn(fault('overflow', 'fd 7 is not read: 16 MiB of control replies wait there, and those that follow are dropped'))
      isWarned = true
      return false
    },
    flush: () => writer.flush(),
    end: () => {
      const forget = startDeadline(REPLY_TIMEOUT_MS, () => void stream.destroy())
      return writer.end().finally(forget)
    },
  }
}
