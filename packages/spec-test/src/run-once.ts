// Runs the subject of a test once, over given messages: returns its outputs, and the calls on the way.

import { PassThrough } from 'node:stream'
import { planOf, planOfCalls, type TestPlan } from '@plumb/lang'
import { type Fault, LineReader, NumberedLine, splitEnvelope } from '@plumb/wire'
import { CallLog } from './call-log.js'
import { Carried, NOTHING_CARRIED } from './carried.js'
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
})

/** Never rejects because of what it runs. Adds to `asked`. */
export const runOnce = async (
  plan: TestPlan,
  given: Given,
  { setting, asked }: { readonly setting: TestSetting; readonly asked: CallLog },
): Promise<RunOutcome> => {
  const graph = plan.of.category === 'base' ? planOfCalls(plan.of) : planOf(plan.of)
  const host = new TestHost(plan, setting, asked)
  const inputs = inTurn(given)
  const faults: Fault[] = []
  const [first] = plan.inputs
  const isPlain = plan.inputs.length === 1 && plan.outputs.length === 1
  const outputs = new Map(plan.outputs.map(({ name }) => [name, [] as Output[]]))
  const carried = new Carried(graph)

  const stdin = new PassThrough()
  const stdout = new PassThrough()
  const collector = collect(stdout, (line) => {
    const port = isPlain ? { name: plan.outputs[0]?.name ?? '', ...line } : portOf(line)
    const read = port && new NumberedLine(true)
    if (!port || !read?.read(port.buf, port.start, port.end)) return
    outputs.get(port.name)?.push({ seqs: read.seq === 0 ? [] : [read.seq], json: port.buf.toString('utf8', read.start, read.end) })
  })
  let isTimedOut = false
  const timer = setTimeout(() => {
    isTimedOut = true
    host.stop()
  }, plan.timeoutMs)
  const lines = inputs.map(({ port, json }) => (isPlain || !first ? json : `{"__port":${JSON.stringify(port)},"msg":${json}}`))
  stdin.end(lines.map((line) => `${line}\n`).join(''))
  await host.run({
    name: plan.of.name,
    graph,
    stdin,
    stdout,
    reporter: silentReporter(),
    report: (fault) => faults.push(fault),
    envelopes: isPlain ? 'none' : 'all',
    onEvent: (event) => carried.on(event),
  })
  clearTimeout(timer)
  stdout.end()
  await collector
  await host.close()
  return {
    inputs,
    outputs,
    faults: inOrder(faults),
    asked,
    carried,
    nested: host.nested,
    unused: host.unused,
    isTimedOut,
  }
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
