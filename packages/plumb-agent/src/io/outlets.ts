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
  /** The reader of the outputs has closed. */
  readonly onOutputClosed: () => void
  readonly onOutputFault: (fault: Fault) => void
  /** The reader of the tool requests has closed. */
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

export const openOutlets = (options: OutletOptions): Outlets => new ProcessOutlets(options)

class ProcessOutlets implements Outlets {
  readonly #options: OutletOptions
  #isOutputClosed = false
  #wasTelemetryLast = false
  readonly #output: LineWriter
  readonly #telemetry: LineWriter | undefined
  readonly #replies: Replies | undefined
  readonly #requests: LineWriter | undefined
  #replyCount = 0
  readonly writeError: Outlets['writeError']
  readonly writeTelemetry: Outlets['writeTelemetry']
  readonly writeToolRequest: Outlets['writeToolRequest']

  constructor(options: OutletOptions) {
    this.#options = options
    const { fds, isRawOutput, hasTelemetry, sendsToolRequests, isNumbered, isForOurs, warn, listeners } = options
    const { onDrain, onOutputClosed, onOutputFault, onRequestsClosed } = listeners
    this.#output = new LineWriter(openLineOutput(FDS.output), {
      raw: isRawOutput,
      onDrain,
      // A model that is answering has to be paid: where only telemetry found no reader, its answer may still come and be kept.
      onClosed: () => {
        this.#isOutputClosed = true
        if (this.#wasTelemetryLast) onDrain()
        else onOutputClosed()
      },
      onFault: onOutputFault,
    })
    const telemetry = { onDrain, onClosed: onDrain, onFault: onDrain }
    const requests = { onClosed: onRequestsClosed, onFault: onRequestsClosed }
    this.#telemetry = hasTelemetry ? this.#onDescriptor(FDS.telemetry, telemetry) : undefined
    this.#replies = fds.has(FDS.ctrl_out) ? openReplies(warn) : undefined
    this.#requests = sendsToolRequests ? this.#onDescriptor(FDS.tool_req, requests) : undefined
    this.writeError = isNumbered ? (seq, error) => this.#inLines(errorText([seq], error, { hasMore: false, isForOurs })) : undefined
    this.writeTelemetry = this.#telemetryOutlet()
    this.writeToolRequest = this.#requestOutlet()
  }

  writeOutput(seq: number, json: string): void {
    const { isNumbered, isMux, takesEnvelopes, isRawOutput } = this.#options
    if (isNumbered) {
      this.#inLines(valueText([seq], DEFAULT_PORT, json))
      return this.#inLines(doneText(seq))
    }
    const bytes = Buffer.from(json)
    if (isMux || (takesEnvelopes && !isRawOutput && hasPortKey(bytes, 0, bytes.length))) this.#inEnvelopes('output', json)
    else this.#output.writeText(json)
  }

  endControl(k: number, isPaused: boolean): void {
    if (this.#options.isNumbered) this.#inLines(controlText(k, isPaused && this.#options.isForOurs))
  }

  reply(reply: { readonly kind: string }, replyTo: ReplyTo): boolean {
    const json = reply.kind === 'approval' || reply.kind === 'question' ? writeBody(reply) : JSON.stringify(reply)
    if (this.#replies ? !this.#replies.write(json) : replyTo !== 'envelope' && !this.#options.isNumbered) return false
    if (!this.#replies && this.#options.isNumbered) this.#inLines(valueText([], 'ctrl_out', json))
    else if (!this.#replies) this.#inEnvelopes('ctrl_out', json)
    this.#replyCount++
    return true
  }

  replyCount(): number {
    return this.#replyCount
  }

  isFull(): boolean {
    return this.#output.isFull || this.#telemetry?.isFull === true
  }

  flush(): void {
    this.#telemetry?.flush()
    this.#output.flush()
    this.#replies?.flush()
  }

  end(): Promise<unknown> {
    const writers = [this.#output, this.#telemetry, this.#requests, this.#replies]
    return Promise.all(writers.map((writer) => writer?.end()))
  }

  #onDescriptor(fd: number, options: LineWriterOptions) {
    return this.#options.fds.has(fd) ? new LineWriter(openLineOutput(fd), options) : undefined
  }

  #inEnvelopes(port: string, json: string): void {
    const bytes = Buffer.from(json)
    const envelope = enclose(port, bytes, 0, bytes.length)
    this.#output.write(envelope, 0, envelope.length)
  }

  #writeNumbered(line: string, isTelemetry: boolean): void {
    if (this.#isOutputClosed && this.#wasTelemetryLast && !isTelemetry) this.#options.listeners.onOutputClosed()
    this.#wasTelemetryLast = isTelemetry
    if (this.#options.isMux) this.#inEnvelopes(DEFAULT_PORT, line)
    else this.#output.writeText(line)
  }

  #inLines(line: string): void {
    this.#writeNumbered(line, false)
  }

  #telemetryOutlet(): Outlets['writeTelemetry'] {
    const telemetry = this.#telemetry
    if (telemetry) return (json) => telemetry.writeText(json)
    if (!this.#options.hasTelemetry) return undefined
    if (this.#options.isNumbered) return (json) => this.#writeNumbered(telemetryText(json), true)
    return this.#options.isMux ? (json) => this.#inEnvelopes('telemetry', json) : undefined
  }

  #requestOutlet(): Outlets['writeToolRequest'] {
    const requests = this.#requests
    if (requests) return (json) => requests.writeText(json)
    return this.#options.sendsToolRequests && this.#options.isMux ? (json) => this.#inEnvelopes('tool_req', json) : undefined
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
