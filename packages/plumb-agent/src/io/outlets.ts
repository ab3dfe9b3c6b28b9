// The outputs of the process: results, telemetry, tool requests and control replies, on descriptors of their own or in envelopes on stdout.

import {
  controlText,
  DEFAULT_PORT,
  doneText,
  enclose,
  errorText,
  type Fault,
  FDS,
  fault,
  hasPortKey,
  LineWriter,
  type LineWriterOptions,
  openLineOutput,
  startDeadline,
  telemetryText,
  valueText,
} from '@plumb/wire'
import { writeBody } from './written-json.js'

export interface OutletOptions {
  readonly fds: ReadonlySet<number>
  readonly isMux: boolean
  /** Without envelopes, and with raw lines, a value with a `__port` of its own is written unchanged. */
  readonly takesEnvelopes: boolean
  readonly isRawOutput: boolean
  /** What becomes of each input is told in numbered lines, with what has no descriptor of its own. */
  readonly isNumbered: boolean
  /** The lines are read by a plumb executable, so they may have the members that only those know. */
  readonly isForOurs: boolean
  readonly hasTelemetry: boolean
  /** An external dispatcher runs the tools, and answers on fd 5 or in envelopes. */
  readonly sendsToolRequests: boolean
  readonly warn: (fault: Fault) => void
  readonly listeners: OutletListeners
}

export interface OutletListeners {
  /** There is space again, or no reader to wait for. */
  readonly onDrain: () => void
  /** The reader of the outputs is gone. */
  readonly onOutputClosed: () => void
  readonly onOutputFault: (fault: Fault) => void
  /** The reader of the tool requests is gone. */
  readonly onRequestsClosed: () => void
}

/** The channel of a control message and of its reply. */
export type ReplyTo = 'envelope' | 'fd'

/** Unread control replies are queued while data continues; beyond this limit they are dropped. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024
/** How long they are waited for at the end. */
const REPLY_TIMEOUT_MS = 2_000

export interface Outlets {
  /** The answer to input `seq`, which is its end. */
  readonly writeOutput: (seq: number, json: string) => void
  /** Undefined: failed inputs are told on stderr alone. */
  readonly writeError: ((seq: number, error: Fault) => void) | undefined
  /** The k-th control message was dealt with. */
  readonly endControl: (k: number, isPaused: boolean) => void
  /** Undefined: telemetry is off. */
  readonly writeTelemetry: ((json: string) => void) | undefined
  /** Undefined: there is no external dispatcher. */
  readonly writeToolRequest: ((json: string) => void) | undefined
  /** False: it cannot be sent. */
  readonly reply: (reply: { readonly kind: string }, replyTo: ReplyTo) => boolean
  /** Replies that were sent. */
  readonly replyCount: () => number
  /** Producers should wait for `onDrain`. */
  readonly isFull: () => boolean
  readonly flush: () => void
  readonly end: () => Promise<unknown>
}

export const openOutlets = ({
  fds,
  isMux,
  takesEnvelopes,
  isRawOutput,
  isNumbered,
  isForOurs,
  hasTelemetry,
  sendsToolRequests,
  warn,
  listeners,
}: OutletOptions): Outlets => {
  const { onDrain, onOutputClosed, onOutputFault, onRequestsClosed } = listeners
  let isOutputClosed = false
  let wasTelemetryLast = false
  const output = new LineWriter(openLineOutput(FDS.output), {
    raw: isRawOutput,
    onDrain,
    // A model that is answering has to be paid: where only telemetry found no reader, its answer may still come and be kept.
    onClosed: () => {
      isOutputClosed = true
      if (wasTelemetryLast) onDrain()
      else onOutputClosed()
    },
    onFault: onOutputFault,
  })
  const onDescriptor = (fd: number, options: LineWriterOptions) => (fds.has(fd) ? new LineWriter(openLineOutput(fd), options) : undefined)
  const inEnvelopes = (port: string, json: string) => {
    const bytes = Buffer.from(json)
    const envelope = enclose(port, bytes, 0, bytes.length)
    output.write(envelope, 0, envelope.length)
  }
  const writeNumbered = (line: string, isTelemetry: boolean): void => {
    if (isOutputClosed && wasTelemetryLast && !isTelemetry) onOutputClosed()
    wasTelemetryLast = isTelemetry
    if (isMux) inEnvelopes(DEFAULT_PORT, line)
    else output.writeText(line)
  }
  const inLines = (line: string) => writeNumbered(line, false)

  const telemetry = hasTelemetry ? onDescriptor(FDS.telemetry, { onDrain, onClosed: onDrain, onFault: onDrain }) : undefined
  const replies = fds.has(FDS.ctrl_out) ? openReplies(warn) : undefined
  const requests = sendsToolRequests ? onDescriptor(FDS.tool_req, { onClosed: onRequestsClosed, onFault: onRequestsClosed }) : undefined
  const writers = telemetry ? [output, telemetry] : [output]
  let replyCount = 0
  const telemetryOutlet = (): Outlets['writeTelemetry'] => {
    if (telemetry) return (json) => telemetry.writeText(json)
    if (!hasTelemetry) return undefined
    if (isNumbered) return (json) => writeNumbered(telemetryText(json), true)
    return isMux ? (json) => inEnvelopes('telemetry', json) : undefined
  }

  return {
    writeOutput: (seq, json) => {
      if (isNumbered) {
        inLines(valueText([seq], DEFAULT_PORT, json))
        return inLines(doneText(seq))
      }
      const bytes = Buffer.from(json)
      if (isMux || (takesEnvelopes && !isRawOutput && hasPortKey(bytes, 0, bytes.length))) inEnvelopes('output', json)
      else output.writeText(json)
    },
    writeError: isNumbered ? (seq, error) => inLines(errorText([seq], error, { hasMore: false, isForOurs })) : undefined,
    endControl: (k, isPaused) => {
      if (isNumbered) inLines(controlText(k, isPaused && isForOurs))
    },
    writeTelemetry: telemetryOutlet(),
    writeToolRequest: requests
      ? (json) => requests.writeText(json)
      : sendsToolRequests && isMux
        ? (json) => inEnvelopes('tool_req', json)
        : undefined,
    reply: (reply, replyTo) => {
      const json = reply.kind === 'approval' ? writeBody(reply) : JSON.stringify(reply)
      if (replies ? !replies.write(json) : replyTo !== 'envelope' && !isNumbered) return false
      if (!replies && isNumbered) inLines(valueText([], 'ctrl_out', json))
      else if (!replies) inEnvelopes('ctrl_out', json)
      replyCount++
      return true
    },
    replyCount: () => replyCount,
    isFull: () => writers.some((writer) => writer.isFull),
    flush: () => {
      telemetry?.flush()
      output.flush()
      replies?.flush()
    },
    end: () => Promise.all([...writers, ...(requests ? [requests] : []), ...(replies ? [replies] : [])].map((writer) => writer.end())),
  }
}

interface Replies {
  /** False: it is dropped. */
  readonly write: (json: string) => boolean
  readonly flush: () => void
  readonly end: () => Promise<unknown>
}

// A client that sends control messages need not read the replies.
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
