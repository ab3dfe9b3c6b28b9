// The process of one part: sends it messages, and reports the outcome of the first of them, with the changes of its memory.

import { randomUUID } from 'node:crypto'
import type { Budget, Prices } from '@plumb/ledger'
import type { ListedCall } from '@plumb/ledger/approval'
import { EVENTS_FD } from '@plumb/runtime/event'
import {
  type Bootstrap,
  childEnv,
  DELIVERY_FD,
  type DeliveryLog,
  type Exit,
  enclose,
  type Fault,
  isFault,
  type LineChild,
  LineReader,
  type LineSource,
  LineWriter,
  NumberedLine,
  openDeliveryLog,
  openStateLog,
  parseJson,
  type Reported,
  type Result,
  readRemembered,
  readReported,
  type Sent,
  SentMessages,
  type SourceFiles,
  type StateLog,
  spawnPlumb,
  succeed,
  type Telemetry,
} from '@plumb/wire'
import type { TakenMessage } from './engine.js'
import { type PartEvent, PartEvents } from './part-events.js'
import { openPartKept, type PartKept, type PartKeptOptions } from './part-kept.js'
import type { PlannedPart } from './run-plan.js'
import { type AgentSpending, spentIn } from './spent.js'
import type { PartSpan } from './worker-watch.js'

export interface PartProcessOptions {
  readonly part: PlannedPart
  readonly binding: string
  /** The file of the spec, and all texts as they were checked. */
  readonly entry: string
  readonly files: SourceFiles
  /** Further options. */
  readonly args: readonly string[]
  readonly variables: readonly string[]
  readonly authority: Bootstrap['authority']
  /** Its calls may wait for approval: what is known of them, as lines of a journal. Undefined: none can. */
  readonly journal?: readonly string[] | undefined
  /** Where its answers are kept. Undefined: nowhere. */
  readonly answers?: Pick<PartKeptOptions, 'shared' | 'isOnly'> | undefined
  /** Undefined: its spending is not limited. */
  readonly budget?: Budget | undefined
  /** Lines of a state file. Undefined: it has no memory. */
  readonly memory: readonly string[] | undefined
  readonly maxLine: number
  readonly prices: Prices | undefined
  /** Its span, which ends with it. Undefined: none is sent. */
  readonly span?: PartSpan | undefined
  /** The delivery of the message, the same whenever it is delivered. */
  readonly deliveryOf: (message: TakenMessage) => string
  /** Called when the first of its messages are done. */
  readonly onFinished: (ready: Ready) => void
  /** Its events are reported with its messages. */
  readonly isLogged: boolean
  /** Called with requests to models that agents report. */
  readonly onSpent: (spent: AgentSpending) => void
  /** Called with errors that concern none of its messages. */
  readonly onReported: (words: Reported) => void
}

/** A line of the state file. */
export interface RememberedLine {
  /** The message that it stems from, by the number in its process; 0: unknown. */
  readonly seq: number
  readonly line: string
}

export type ProcessEvents = Pick<
  PartProcessOptions,
  'onFinished' | 'onReported' | 'onSpent' | 'deliveryOf' | 'budget' | 'journal' | 'answers' | 'isLogged'
>

export interface FinishedMessage {
  /** From 1, in the order in which the process got them. */
  readonly seq: number
  readonly message: TakenMessage
  readonly outputs: readonly { readonly port: number; readonly value: string }[]
  readonly faults: readonly Fault[]
  /** Calls that need approval. */
  readonly calls: readonly ListedCall[]
}

export interface Ready {
  readonly finished: readonly FinishedMessage[]
  readonly memory: readonly RememberedLine[]
  readonly events: readonly PartEvent[]
}

/** Telemetry that is counted. */
const SPENDING = new Set<Telemetry['kind']>(['usage', 'tool_result', 'retry'])
const STATE_FD = 12
const ENVELOPE_BYTES = 256

interface PartFiles {
  readonly state: StateLog | undefined
  readonly deliveries: DeliveryLog
  readonly kept: PartKept | undefined
  readonly events: PartEvents | undefined
  readonly isEnveloped: boolean
}

interface InHand {
  readonly message: TakenMessage
  readonly outputs: { port: number; value: string }[]
  readonly faults: Fault[]
  /** The last message that an output stems from as well: they are settled at once. */
  with: number
}

export class PartProcess {
  readonly #o: PartProcessOptions
  readonly #child: LineChild
  readonly #stdin: LineWriter
  readonly #state: StateLog | undefined
  readonly #deliveries: DeliveryLog
  readonly #kept: PartKept | undefined
  readonly #events: PartEvents | undefined
  readonly #isEnveloped: boolean
  readonly #sent = new SentMessages<InHand>()
  readonly #line = new NumberedLine(true)
  /** Whole messages after one that is not, by their numbers. */
  readonly #whole = new Map<number, InHand>()
  /** All up to this number are whole, and were reported. */
  #done = 0
  /** All up to this number are whole. */
  #seen = 0
  /** The last message with which one of those is settled. */
  #furthest = 0
  #isSettling = false
  /** Memory of unfinished messages. */
  #early: RememberedLine[] = []
  readonly exited: Promise<Exit>

  static start(options: PartProcessOptions): Result<PartProcess> {
    const { part, binding, args, files, entry, authority, variables, memory, maxLine, span } = options
    const state = memory && openStateLog(memory)
    const deliveries = openDeliveryLog()
    const { shared, isOnly = false } = options.answers ?? {}
    const kept = options.journal || shared ? openPartKept({ journal: options.journal, shared, isOnly }) : undefined
    const events = options.isLogged ? new PartEvents(randomUUID()) : undefined
    const isEnveloped = part.inputs.length !== 1
    const framing = isEnveloped ? [] : ['--no-envelopes']
    const words = ['stage', binding, '--part', String(part.id), '--numbered', '--telemetry', ...framing, ...args]
    const child = spawnPlumb({
      program: 'plumb',
      args: [
        ...words,
        '--max-line',
        String(maxLine + ENVELOPE_BYTES),
        ...(state ? ['--state-fd', String(STATE_FD)] : []),
        '--delivery-fd',
        String(DELIVERY_FD),
        ...(events ? ['--events-fd', String(EVENTS_FD)] : []),
        ...(isOnly ? ['--cache-only'] : []),
      ],
      files,
      entry,
      authority,
      budget: options.budget,
      env: { ...childEnv('ours', variables), PLUMB_ERRORS: 'json', ...(span ? { PLUMB_TRACEPARENT: span.traceparent } : {}) },
      shared: { [DELIVERY_FD]: deliveries.fd, ...(state ? { [STATE_FD]: state.fd } : {}), ...(events ? { [EVENTS_FD]: events.fd } : {}) },
    })
    kept?.handedOn()
    if (child.ok) return succeed(new PartProcess(options, child.value.child, { state, deliveries, kept, events, isEnveloped }))
    events?.close()
    kept?.close()
    state?.close()
    deliveries.close()
    return child
  }

  private constructor(options: PartProcessOptions, child: LineChild, { state, deliveries, kept, events, isEnveloped }: PartFiles) {
    this.#events = events
    this.#o = options
    this.#child = child
    this.#state = state
    this.#deliveries = deliveries
    this.#kept = kept
    this.#isEnveloped = isEnveloped
    this.#stdin = new LineWriter(child.stdin)
    const maxLine = options.maxLine + 4 * ENVELOPE_BYTES
    read(child.stdout, maxLine, (reader) => this.#tell(reader))
    read(child.stderr, maxLine, (reader) => this.#error(reader))
    this.exited = child.exited.then((exit) => {
      this.#settle()
      this.#state?.close()
      this.#deliveries.close()
      this.#kept?.close()
      this.#events?.close()
      options.span?.end()
      return exit
    })
  }

  get inHand(): number {
    return this.#sent.inHand + this.#whole.size
  }

  /** Its unfinished messages. */
  get messages(): readonly TakenMessage[] {
    const whole = [...this.#whole].map(([n, of]) => ({ n, of }))
    return [...this.#sent, ...whole].sort((a, b) => a.n - b.n).map(({ of }) => of.message)
  }

  send(message: TakenMessage): void {
    const { n } = this.#sent.send({ message, outputs: [], faults: [], with: 0 })
    this.#events?.sent(n, message.origin)
    this.#deliveries.add(this.#o.deliveryOf(message))
    const bytes = Buffer.from(`${message.value}\n`)
    if (!this.#isEnveloped) return this.#stdin.write(bytes, 0, bytes.length - 1)
    const line = enclose(this.#o.part.inputs[message.port] ?? 'input', bytes, 0, bytes.length - 1)
    this.#stdin.write(line, 0, line.length)
  }

  /** Nothing more comes: messages that wait for others in it are finished. */
  end(): void {
    void this.#stdin.end()
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  // A line without its end was cut off.
  #tell({ buf, start, end, isLast }: LineReader): void {
    const line = this.#line
    if (isLast || !line.read(buf, start, end)) return
    if (line.kind === 'telemetry') return this.#telemetry(buf, line.start, line.end)
    const sent = this.#sent.at(line.seq)
    if (!sent) return
    if (line.kind === 'value') {
      const port = this.#o.part.outputs.findIndex(({ name }) => name === line.port)
      sent.of.outputs.push({ port: Math.max(0, port), value: buf.toString('utf8', line.start, line.end) })
      for (const seq of line.seqs) this.#settleWith(seq, Math.max(...line.seqs))
    } else if (line.kind === 'error') this.#fail(sent)
    if (line.isEnd) this.#end(sent)
  }

  #settleWith(seq: number, last: number): void {
    const of = this.#sent.at(seq)?.of
    if (of) of.with = Math.max(of.with, last)
  }

  // A failure of several messages is one of each.
  #fail(last: Sent<InHand>): void {
    const { error, seqs } = this.#line
    if (!isFault(error)) return
    const sents = seqs.length > 1 ? seqs.flatMap((n) => this.#sent.at(n) ?? []) : [last]
    for (const { n, of } of sents) of.faults.push({ ...error, seq: n })
  }

  #end(sent: Sent<InHand>): void {
    this.#sent.end(sent)
    this.#whole.set(sent.n, sent.of)
    this.#settleSoon()
  }

  #error({ buf, start, end }: LineReader): void {
    const parsed = parseJson(buf, start, end)
    const reported = parsed.ok ? readReported(parsed.value) : undefined
    if (reported) this.#o.onReported(reported)
  }

  #telemetry(buf: Buffer, start: number, end: number): void {
    const parsed = parseJson(buf, start, end)
    const event = parsed.ok ? (parsed.value as Telemetry | null) : undefined
    if (event && SPENDING.has(event.kind)) this.#o.onSpent(spentIn(event, this.#o.prices))
  }

  // Once for all that is read in this turn of the event loop.
  #settleSoon(): void {
    if (this.#isSettling) return
    this.#isSettling = true
    setImmediate(() => {
      this.#isSettling = false
      this.#settle()
    })
  }

  #settle(): void {
    const finished: FinishedMessage[] = []
    const last = this.#lastWhole()
    const callsOf = last > this.#done ? this.#kept?.read() : undefined
    while (this.#done < last) {
      this.#done++
      const one = this.#whole.get(this.#done) as InHand
      finished.push({ ...one, seq: this.#done, calls: callsOf?.(this.#o.deliveryOf(one.message)) ?? [] })
      this.#whole.delete(this.#done)
    }
    if (finished.length === 0) return
    this.#o.onFinished({ finished, memory: this.#remembered(this.#done), events: this.#events?.take(this.#done) ?? [] })
  }

  /** The last that can be settled: all up to it are whole, and none of them has an output with a later one. */
  #lastWhole(): number {
    let last = this.#done
    for (let one = this.#whole.get(this.#seen + 1); one; one = this.#whole.get(this.#seen + 1)) {
      this.#seen++
      this.#furthest = Math.max(this.#furthest, one.with)
      if (this.#furthest <= this.#seen) last = this.#seen
    }
    return last
  }

  #remembered(upTo: number): readonly RememberedLine[] {
    for (let line = this.#state?.next(); line !== undefined; line = this.#state?.next()) {
      const { seq = 0 } = readRemembered(line) ?? {}
      this.#early.push({ seq, line })
    }
    const ready = this.#early.filter(({ seq }) => seq <= upTo)
    this.#early = this.#early.filter(({ seq }) => seq > upTo)
    return ready
  }
}

const read = (stream: LineSource, maxLine: number, take: (reader: LineReader) => void): void => {
  const takeAll = (): void => {
    while (reader.next()) if (!reader.fault) take(reader)
  }
  const reader = new LineReader(stream, { maxLine, onReadable: takeAll })
}
