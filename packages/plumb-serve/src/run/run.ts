// One run: the inputs of one request through a binding, until their outcomes are told.
//
//   state       begins when                                    then
//   running     it is made                                     inputs may come, and outcomes do
//   waiting     a question for a person is open                goes on with the answer
//   done        all outcomes are told
//   failed      it has ended early, for a reason of its own    what is in hand is dropped
//   cancelled   it was cancelled                               what is in hand is dropped

import { PassThrough } from 'node:stream'
import { type Consent, consentIn } from '@plumb/ledger'
import { type Fault, fault, isFault, LineReader, NumberedLine, toDollars, totalTokens } from '@plumb/wire'
import type { Binding, BindingRequest } from '../binding/binding.js'
import { Feed, type FeedItem } from './feed.js'
import type { Asked, Questions } from './questions.js'

export type RunState = 'running' | 'waiting' | 'done' | 'failed' | 'cancelled'

/** What is left of a run that has ended. */
export interface SavedRun {
  readonly state: RunState
  readonly inputs: number
  readonly outputs: number
  readonly errors: number
  readonly tokens: number
  /** In nanodollars. */
  readonly cost: number
  readonly ended: string
  readonly items: readonly FeedItem[]
}

export interface RunOptions {
  readonly id: string
  readonly binding: Binding
  /** Its feed can be read again. */
  readonly isKept: boolean
  /** Kinds of telemetry that are told, apart from outputs and errors. */
  readonly events: ReadonlySet<string>
  /** In nanodollars. */
  readonly maxCost: number | undefined
  readonly owner: string
  /** The span of its client that it is a part of. */
  readonly traceparent?: string | undefined
  readonly questions: Questions
  /** Its work is a process that sends its spans. */
  readonly tracesItself?: boolean
  /** How it is worked; by default its binding runs it here. */
  readonly work?: (request: BindingRequest) => Promise<void>
  readonly memories?: BindingRequest['memories']
  /** When it was made, if that was before. */
  readonly created?: Date
  /** It has ended before. */
  readonly saved?: SavedRun | undefined
}

type Telemetry = Parameters<NonNullable<BindingRequest['telemetry']>>[0]

export class Run {
  readonly id: string
  readonly binding: Binding
  readonly feed: Feed
  readonly created: Date
  ended: Date | undefined
  state: RunState = 'running'
  inputs = 0
  outputs = 0
  errors = 0
  tokens = 0
  readonly usage = { input: 0, output: 0, cached: 0, reasoning: 0 }
  /** The last answer of a model was cut off at a limit of length. */
  isCut = false
  /** In nanodollars. */
  cost = 0
  /** Why it has ended early. */
  failure: Fault | undefined
  /** By code. */
  readonly codes = new Map<string, number>()
  /** Until the first text or output (ms since it began). */
  firstMs: number | undefined
  readonly finished: Promise<void>
  readonly #o: Pick<RunOptions, 'events' | 'maxCost' | 'owner' | 'questions'>
  /** Undefined, as `#stop`: it has ended. What is kept of it holds nothing that has worked it. */
  #stdin: PassThrough | undefined
  #stop: AbortController | undefined
  readonly #began = performance.now()
  /** To be told when it has ended, or asks a person. */
  #stopped: { readonly isMine: () => boolean; readonly resolve: () => void }[] = []
  #isInLine = false
  #whole = 0
  #trace: ReturnType<Binding['trace']>
  /** Questions that wait. */
  #open = 0

  constructor(options: RunOptions) {
    const { id, binding, isKept, memories, work = (request: BindingRequest) => binding.run(request), created = new Date() } = options
    const { events, maxCost, owner, questions } = options
    this.created = created
    this.#o = { events, maxCost, owner, questions }
    this.id = id
    this.binding = binding
    this.feed = new Feed(isKept)
    if (options.saved) {
      this.#restore(options.saved)
      this.finished = Promise.resolve()
      return
    }
    const { traceparent } = options
    this.#trace = options.tracesItself ? undefined : binding.trace(traceparent)
    const [stdin, stdout, stop] = [new PassThrough(), new PassThrough(), new AbortController()]
    this.#stdin = stdin
    this.#stop = stop
    const read = readLines(stdout, this.feed, (line, buf) => this.#take(line, buf))
    const running = work({
      stdin,
      stdout,
      report: (error) => this.#report(error),
      telemetry: (telemetry) => this.#tell(telemetry),
      memories,
      trace: this.#trace,
      traceparent,
      approve: (asked, signal) => this.#approve(asked, signal),
      ask: ({ n: _, ...asked }, signal) => this.#ask({ ...asked, kind: 'person' }, signal),
      signal: stop.signal,
    })
    this.finished = running.then(async () => {
      if (!stdout.writableEnded) stdout.end()
      await read
      this.#end()
    })
  }

  get ms(): number {
    return (this.ended?.getTime() ?? Date.now()) - this.created.getTime()
  }

  /** Inputs whose outcome is not whole. */
  get inHand(): number {
    return this.inputs - this.#whole
  }

  /** Resolves when it has ended, or waits for an answer that `isMine`. */
  async stopped(isMine: () => boolean): Promise<void> {
    if (this.ended || isMine()) return
    await new Promise<void>((resolve) => this.#stopped.push({ isMine, resolve }))
  }

  /** Any piece of lines of input. Resolves when more may come. */
  async writeBytes(bytes: Buffer): Promise<void> {
    this.#count(bytes)
    const stdin = this.#stdin
    if (!stdin || stdin.writableEnded || stdin.write(bytes)) return
    await Promise.race([new Promise<void>((resolve) => stdin.once('drain', resolve)), this.finished])
  }

  endInput(): void {
    if (this.#isInLine) this.inputs++
    this.#isInLine = false
    this.#stdin?.end()
  }

  /** What is in hand is dropped, and its processes are ended. */
  cancel(why?: Fault): void {
    const stop = this.#stop
    if (!stop || stop.signal.aborted) return
    this.state = why ? 'failed' : 'cancelled'
    if (why) {
      this.failure = why
      this.#failed(null, why)
    }
    stop.abort()
    // Else a run whose client has read nothing would wait for it for ever.
    this.feed.takeLast()
  }

  /** It was cancelled: what is not answered never will be. */
  get cancellation(): Fault | undefined {
    return this.state === 'cancelled' ? fault('cancelled', 'the run was cancelled before this was answered') : undefined
  }

  get saved(): SavedRun {
    const { state, inputs, outputs, errors, tokens, cost, ended = new Date(), feed } = this
    return { state, inputs, outputs, errors, tokens, cost, ended: ended.toISOString(), items: feed.items }
  }

  /** As GET /runs/ID has it. */
  get shown() {
    const { id, binding, state, inputs, outputs, errors, created, ended } = this
    const own = { id, binding: binding.name, state, inputs, outputs, errors, ...this.totals, created: created.toISOString() }
    return { ...own, ...(ended ? { ended: ended.toISOString() } : {}) }
  }

  get totals() {
    return { tokens: this.tokens, cost: toDollars(this.cost) }
  }

  #restore({ state, inputs, outputs, errors, tokens, cost, ended, items }: SavedRun): void {
    Object.assign(this, { state, inputs, outputs, errors, tokens, cost, ended: new Date(ended) })
    for (const { event, data } of items) this.feed.add(event, data)
    this.feed.end()
  }

  // Blank lines are none.
  #count(bytes: Buffer): void {
    for (const byte of bytes) {
      if (byte === LF && this.#isInLine) this.inputs++
      if (byte === LF) this.#isInLine = false
      else if (byte > SPACE) this.#isInLine = true
    }
  }

  #end(): void {
    if (this.state === 'running' || this.state === 'waiting') this.state = 'done'
    this.ended = new Date()
    this.#trace?.end(this.inputs, this.state === 'done' && this.errors === 0)
    this.feed.add('done', JSON.stringify({ state: this.state, ...this.totals }))
    this.feed.end()
    this.#tellStopped()
    this.#stdin = undefined
    this.#stop = undefined
    this.#trace = undefined
  }

  #tellStopped(): void {
    const told = this.#stopped.filter(({ isMine }) => this.ended || isMine())
    this.#stopped = this.#stopped.filter((one) => !told.includes(one))
    for (const { resolve } of told) resolve()
  }

  #take(line: NumberedLine, buf: Buffer): void {
    const seq = line.seq === 0 ? null : line.seq
    if (line.isEnd) this.#whole++
    if (line.kind === 'value') {
      this.outputs++
      this.firstMs ??= performance.now() - this.#began
      const port = line.port === 'output' || this.binding.outputs.length === 1 ? '' : `,"port":${JSON.stringify(line.port)}`
      this.feed.add('output', `{"seq":${seq}${port},"value":${buf.toString('utf8', line.start, line.end)}}`)
      if (this.feed.isOver) this.cancel(fault('too_large', 'what is kept of this run is longer than the server keeps'))
    } else if (line.kind === 'error') this.#failed(seq, line.error)
  }

  /** Another server of the database, or a person there, may have cancelled it. */
  #report(error: Fault): void {
    if (error.error === 'cancelled' && this.#stop?.signal.aborted === false) this.state = 'cancelled'
    else this.#failed(null, error)
  }

  #failed(seq: number | null, error: unknown): void {
    const shown = this.binding.hide(isFault(error) ? error : fault('internal', JSON.stringify(error)))
    this.errors++
    this.codes.set(shown.error, (this.codes.get(shown.error) ?? 0) + 1)
    this.#trace?.failed(shown)
    const { seq: _, seqs: __, ...others } = shown
    this.feed.add('error', JSON.stringify({ seq, error: others }))
  }

  async #approve({ agent, tool, input, wrong }: Parameters<BindingRequest['approve']>[0], signal?: AbortSignal): Promise<Consent> {
    const stop = this.#stop?.signal ?? AbortSignal.abort()
    const asked = {
      kind: 'approval',
      agent,
      prompt: `May '${agent}' call '${tool}'?`,
      input: `{"tool":${JSON.stringify(tool)},"input":${input}}`,
      wrong,
      schema: APPROVAL,
      check: whyNoApproval,
    } as const
    const answered = await this.#ask(asked, signal ? AbortSignal.any([stop, signal]) : stop)
    return answered.ok && consentIn(answered.value)
  }

  async #ask(asked: Omit<Asked, 'run' | 'binding' | 'owner'>, signal: AbortSignal): ReturnType<Questions['ask']> {
    const { owner, questions } = this.#o
    this.#open++
    if (this.state === 'running') this.state = 'waiting'
    const answering = questions.ask({ ...asked, owner, run: this.id, binding: this.binding.name }, signal)
    this.#tellStopped()
    const answered = await answering
    this.#open--
    if (this.#open === 0 && this.state === 'waiting') this.state = 'running'
    return answered
  }

  #tell(telemetry: Telemetry): void {
    const { kind } = telemetry
    if (kind === 'text') this.firstMs ??= performance.now() - this.#began
    if (kind === 'usage') this.#spend(telemetry)
    if (!TOLD_AS_SUCH.has(kind) && this.#o.events.has(kind)) this.feed.add(kind, JSON.stringify(telemetry))
  }

  #spend(usage: Telemetry & { kind: 'usage' }): void {
    this.tokens += totalTokens(usage)
    this.usage.input += totalTokens(usage) - usage.output_tokens
    this.usage.output += usage.output_tokens
    this.usage.cached += usage.cache_read_tokens
    this.usage.reasoning += usage.reasoning_tokens ?? 0
    this.isCut = usage.finish === 'length'
    this.cost += this.binding.costOf(usage) ?? 0
    const { maxCost } = this.#o
    if (maxCost === undefined || this.cost <= maxCost) return
    this.cancel(fault('budget_spent', `this request has cost $${toDollars(this.cost)}, and Plumb-Max-Cost is $${toDollars(maxCost)}`))
  }
}

const APPROVAL = { type: 'boolean' }

const whyNoApproval = (json: string): Fault | undefined =>
  json === 'true' || json === 'false' ? undefined : fault('output_type_mismatch', 'a call is approved by true, or denied by false')

/** Outcomes have lines of their own. */
const TOLD_AS_SUCH: ReadonlySet<string> = new Set(['output', 'error', 'settled', 'remembered', 'budget'])
const [LF, SPACE] = [0x0a, 0x20]

/** Calls `take` with each numbered line; resolves at the end. It waits while the feed is full. */
const readLines = (stdout: PassThrough, feed: Feed, take: (line: NumberedLine, buf: Buffer) => void): Promise<void> =>
  new Promise((resolve) => {
    const line = new NumberedLine(true)
    const read = (): void => {
      while (!feed.isFull && reader.next()) if (!reader.fault && line.read(reader.buf, reader.start, reader.end)) take(line, reader.buf)
      if (reader.hasEnded) resolve()
      else if (feed.isFull) feed.onceDrained(read)
    }
    const reader = new LineReader(stdout, { maxLine: Number.MAX_SAFE_INTEGER, onReadable: read })
  })
