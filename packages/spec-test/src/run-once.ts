// Runs the subject of a test once, over given messages: returns its outputs, and the calls on the way.

import { PassThrough } from 'node:stream'
import { type Graph, planOf, planOfCalls, type TestPlan } from '@plumb/lang'
import { type Fault, LineReader, NumberedLine, splitEnvelope } from '@plumb/wire'
import { CallLog } from './call-log.js'
import { Carried, NOTHING_CARRIED } from './carried.js'
import { type InputWork, RowWatch, watchedGraph } from './row-watch.js'
import { silentReporter, TestHost, type TestSetting } from './test-host.js'

/** Messages by the names of ports, as JSON text. */
export type Given = ReadonlyMap<string, readonly string[]>

export interface Output {
  /** Numbers of the inputs that it stems from, from 1; empty: unknown. */
  readonly seqs: readonly number[]
  readonly json: string
}

export interface RunOutcome {
  /** The inputs in the order of their numbers. */
  readonly inputs: readonly { readonly port: string; readonly json: string }[]
  readonly outputs: ReadonlyMap<string, readonly Output[]>
  /** In the order of the inputs that failed; those without one come last. */
  readonly faults: readonly Fault[]
  readonly asked: CallLog
  readonly carried: Carried
  /** Of the nested plumbs. */
  readonly nested: readonly Carried[]
  readonly unused: TestHost['unused']
  readonly isTimedOut: boolean
  /** Inputs of an evaluation that took too long. */
  readonly late: ReadonlySet<number>
  /** Of those, the ones that were not asked since none before them was answered. */
  readonly unasked: ReadonlySet<number>
  /** Of an evaluation: what its inputs took, by their numbers. */
  readonly work: ReadonlyMap<number, InputWork>
}

/** The outcome of a run that could not begin. */
export const failedOutcome = (fault: Fault): RunOutcome => ({
  inputs: [],
  outputs: new Map(),
  faults: [fault],
  asked: new CallLog(),
  carried: NOTHING_CARRIED,
  nested: [],
  unused: [],
  isTimedOut: false,
  late: new Set(),
  unasked: new Set(),
  work: new Map(),
})

/** Never rejects because of what it runs. Adds to `asked`. */
export const runOnce = (
  plan: TestPlan,
  given: Given,
  around: { readonly setting: TestSetting; readonly asked: CallLog },
): Promise<RunOutcome> => new SubjectRun(plan, inTurn(given), around).run()

/** An evaluation goes on without the rows that take too long; any other test ends with its time. */
class SubjectRun {
  readonly #graph: Graph
  readonly #carried: Carried
  readonly #outputs: ReadonlyMap<string, Output[]>
  readonly #faults: Fault[] = []
  readonly #late = new Set<number>()
  readonly #unasked = new Set<number>()
  readonly #work = new Map<number, InputWork>()
  readonly #isPlain: boolean
  #host: TestHost
  #isTimedOut = false

  constructor(
    private readonly plan: TestPlan,
    private readonly inputs: RunOutcome['inputs'],
    private readonly around: { readonly setting: TestSetting; readonly asked: CallLog },
  ) {
    this.#graph = plan.of.category === 'base' ? planOfCalls(plan.of) : planOf(plan.of)
    this.#carried = new Carried(this.#graph)
    this.#outputs = new Map(plan.outputs.map(({ name }) => [name, []]))
    this.#isPlain = plan.inputs.length === 1 && plan.outputs.length === 1
    this.#host = new TestHost(plan, around.setting, around.asked)
  }

  async run(): Promise<RunOutcome> {
    const { plan, inputs, around } = this
    const nested: Carried[] = []
    let left: readonly number[] = inputs.map((_, i) => i + 1)
    if (plan.atLeast === undefined) await this.#part(left, plan.timeoutMs)
    else
      for (;;) {
        const watch = new RowWatch(left)
        await this.#part(left, plan.timeoutMs, watch)
        for (const [input, work] of watch.work) this.#work.set(input, work)
        const late = left.filter((input) => this.#late.has(input))
        for (const input of late) this.#tookTooLong(input)
        left = late.length === 0 ? [] : left.filter((input) => !this.#late.has(input) && !watch.isSettled(input))
        if (this.#hasGivenUp(left)) left = []
        this.#forget(new Set(left))
        if (left.length === 0) break
        nested.push(...this.#host.nested)
        this.#host = new TestHost(plan, around.setting, around.asked, this.#host)
      }
    return {
      inputs,
      outputs: this.#outputs,
      faults: inOrder(this.#faults),
      asked: around.asked,
      carried: this.#carried,
      nested: [...nested, ...this.#host.nested],
      unused: this.#host.unused,
      isTimedOut: this.#isTimedOut,
      late: this.#late,
      unasked: this.#unasked,
      work: this.#work,
    }
  }

  /** Runs it over some of the inputs, by their numbers. */
  async #part(numbers: readonly number[], timeoutMs: number, watch?: RowWatch): Promise<void> {
    const host = this.#host
    const [stdin, stdout] = [new PassThrough(), new PassThrough()]
    const collector = collect(stdout, (line) => this.#take(line, numbers))
    const inputOf = (seq: number): number => numbers[seq - 1] ?? 0
    const timer = watch
      ? setInterval(() => this.#stopLate(watch, timeoutMs), Math.min(MAX_LOOK_MS, Math.max(MIN_LOOK_MS, timeoutMs / 10)))
      : setTimeout(() => {
          this.#isTimedOut = true
          host.stop()
        }, timeoutMs)
    const lines = numbers.map((number) => this.#lineOf(number))
    stdin.end(lines.map((line) => `${line}\n`).join(''))
    await host.run({
      name: this.plan.of.name,
      graph: this.#graph,
      stdin,
      stdout,
      reporter: silentReporter(),
      report: (fault) => this.#faults.push(withInputs(fault, inputOf)),
      envelopes: this.#isPlain ? 'none' : 'all',
      onEvent: (event) => this.#carried.on(event, inputOf),
      ...(watch
        ? { watched: { watch, graph: watchedGraph(this.#graph, '', inputOf) }, done: (seq: number) => watch.settle(inputOf(seq)) }
        : {}),
    })
    clearTimeout(timer)
    stdout.end()
    await collector
    await host.close()
  }

  #lineOf(number: number): string {
    const { port = '', json = '' } = this.inputs[number - 1] ?? {}
    return this.#isPlain || this.plan.inputs.length === 0 ? json : `{"__port":${JSON.stringify(port)},"msg":${json}}`
  }

  #take(line: Line, numbers: readonly number[]): void {
    const port = this.#isPlain ? { name: this.plan.outputs[0]?.name ?? '', ...line } : portOf(line)
    const read = port && new NumberedLine(true)
    if (!port || !read?.read(port.buf, port.start, port.end)) return
    const input = numbers[read.seq - 1]
    this.#outputs.get(port.name)?.push({ seqs: input === undefined ? [] : [input], json: port.buf.toString('utf8', read.start, read.end) })
  }

  #tookTooLong(input: number): void {
    const { ms, usages } = this.#work.get(input) ?? { ms: 0, usages: [] }
    this.#work.set(input, { ms: Math.max(ms, this.plan.timeoutMs), usages })
  }

  /** Nobody answers: the rest is not asked, since each row would take as long. */
  #hasGivenUp(left: readonly number[]): boolean {
    const hasOutputs = [...this.#outputs.values()].some(({ length }) => length > 0)
    if (hasOutputs || this.#faults.length > 0 || this.#late.size < MAX_LATE) return false
    for (const input of left) {
      this.#late.add(input)
      this.#unasked.add(input)
    }
    return true
  }

  #stopLate(watch: RowWatch, timeoutMs: number): void {
    const late = watch.late(timeoutMs)
    for (const input of late) this.#late.add(input)
    if (late.length > 0) this.#host.stop()
  }

  // Inputs that are run again, since they were with one that took too long; and what came of that one.
  #forget(again: ReadonlySet<number>): void {
    const isGone = (input: number): boolean => again.has(input) || this.#late.has(input)
    for (const outputs of this.#outputs.values()) keepOnly(outputs, ({ seqs }) => !seqs.some(isGone))
    keepOnly(this.#faults, (fault) => !inputsOf(fault).some(isGone))
    if (again.size > 0) this.#carried.forget(again)
  }
}

/** Rows that take too long where no other has come to anything. */
const MAX_LATE = 5

/** How often it is looked whether a row takes too long. */
const [MIN_LOOK_MS, MAX_LOOK_MS] = [5, 250]

const keepOnly = <T>(items: T[], isKept: (item: T) => boolean): void => {
  const kept = items.filter(isKept)
  items.length = 0
  for (const item of kept) items.push(item)
}

/** The numbers of the inputs that an error is about. */
export const inputsOf = ({ seq, seqs }: Fault): readonly number[] => {
  if (Array.isArray(seqs))
    return (seqs as readonly (readonly [number, number])[]).flatMap(([from, to]) =>
      Array.from({ length: to - from + 1 }, (_, i) => from + i),
    )
  return typeof seq === 'number' ? [seq] : []
}

// The numbers of a part of the inputs become those of the whole.
const withInputs = (fault: Fault, inputOf: (seq: number) => number): Fault => {
  if (Array.isArray(fault.seqs)) return { ...fault, seqs: inputsOf(fault).map((seq) => [inputOf(seq), inputOf(seq)]) }
  return typeof fault.seq === 'number' ? { ...fault, seq: inputOf(fault.seq) } : fault
}

// The first of each port, then the second of each, as inputs of several ports come in a run.
const inTurn = (given: Given): RunOutcome['inputs'] => {
  const ports = [...given]
  const longest = Math.max(0, ...ports.map(([, messages]) => messages.length))
  return Array.from({ length: longest }).flatMap((_, i) =>
    ports.flatMap(([port, messages]) => {
      const json = messages[i]
      return json === undefined ? [] : [{ port, json }]
    }),
  )
}

interface Line {
  readonly buf: Buffer
  readonly start: number
  readonly end: number
}

const portOf = ({ buf, start, end }: Line): (Line & { readonly name: string }) | undefined => {
  const split = splitEnvelope(buf, start, end)
  return split.ok && !split.value.isEof ? { name: split.value.port, buf, start: split.value.start, end: split.value.end } : undefined
}

const collect = (stream: PassThrough, take: (line: Line) => void): Promise<void> => {
  return new Promise((resolve) => {
    const read = (): void => {
      while (reader.next()) if (!reader.fault) take(reader)
      if (reader.hasEnded) resolve()
    }
    const reader = new LineReader(stream, { onReadable: read })
  })
}

const inOrder = (faults: readonly Fault[]): readonly Fault[] => {
  const place = ({ seq, seqs }: Fault): number => {
    const first = Array.isArray(seqs) ? (seqs as readonly unknown[]).flat()[0] : seq
    return typeof first === 'number' ? first : Number.POSITIVE_INFINITY
  }
  return faults
    .map((fault, i) => ({ fault, i }))
    .sort((a, b) => place(a.fault) - place(b.fault) || a.i - b.i)
    .map(({ fault }) => fault)
}
