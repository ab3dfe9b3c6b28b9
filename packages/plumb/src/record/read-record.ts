// The inputs of a recorded run, and what became of each: what its wires carried, its outputs and its errors; and what models took.

import { closeSync, fstatSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { costOfUsage, type Prices } from '@plumb/ledger'
import { type RunFile, readRunFile } from '@plumb/runtime/record'
import type { Step } from '@plumb/spec-test/parting'
import {
  type Fault,
  fail,
  isFault,
  isRecord,
  numbersIn,
  preview,
  type Result,
  readUsage,
  scanLines,
  succeed,
  systemReason,
  totalTokens,
} from '@plumb/wire'
import type { RunMade } from './settings.js'
import { readTrace } from './trace-lines.js'

export interface RecordedInput {
  /** From 1. */
  readonly seq: number
  /** JSON; undefined: it did not fit its port, and is in no file. */
  readonly input: string | undefined
  /** In the order in which the wires were reached. */
  readonly steps: readonly Step[]
  readonly outputs: readonly string[]
  /** Error objects, as JSON. */
  readonly errors: readonly string[]
}

export interface RecordedRun {
  readonly made: RunMade
  readonly inputs: readonly RecordedInput[]
  readonly tokens: number
  /** Nanodollars, of models that have a price. */
  readonly nano: number
  readonly unpriced: readonly string[]
}

const MAX_LINE_BYTES = 64 * 1024 * 1024

export const readRecord = async (directory: string, prices: Prices): Promise<Result<RecordedRun>> => {
  const run = readRunFile(directory)
  if (!run.ok) return run
  const wires = wiresIn(run.value)
  if (!wires) return fail('record_invalid', `'${preview(directory, 200)}' names wires that are no files of a record`, { path: directory })
  const trace = await readTrace(join(directory, 'trace.json'))
  if (!trace.ok) return trace
  try {
    const reader = new RecordReader()
    const seqs = new Map(wires.map(({ name }) => [name, [] as { readonly seq: number; readonly time: number }[]]))
    for (const [time, { args = {} }] of trace.value.events.entries())
      if (typeof args.wire === 'string' && typeof args.seq === 'number') seqs.get(args.wire)?.push({ seq: args.seq, time })
    for (const wire of wires) {
      const known = seqs.get(wire.name) ?? []
      let count = 0
      eachLine(join(directory, `${wire.name}.jsonl`), (json) => {
        const at = known[count++]
        if (at) reader.carried(wire, at, json)
      })
      // A record keeps only the first part of a long timeline, which has the numbers.
      if (count > known.length)
        return fail(
          'record_invalid',
          `'${preview(directory, 200)}' is longer than its trace.json: ${count - known.length} messages of '${wire.name}' have no number`,
        )
    }
    eachLine(join(directory, 'events.jsonl'), (line) => reader.event(line, prices))
    return succeed({ made: run.value, ...reader.run })
  } catch (error) {
    return fail('record_invalid', `'${preview(directory, 200)}' cannot be read: ${systemReason(error as NodeJS.ErrnoException)}`)
  }
}

interface RecordedWire {
  /** Of its file. */
  readonly name: string
  /** Of its ends: the same in runs of other specs. */
  readonly called: string
  readonly isInput: boolean
  readonly isOutput: boolean
}

const wiresIn = ({ wires }: RunFile): readonly RecordedWire[] | undefined => {
  if (!Array.isArray(wires)) return undefined
  const targets = new Set(wires.map(({ to }) => String(to)))
  const sources = new Set(wires.map(({ from }) => String(from)))
  const times = new Map<string, number>()
  const found = wires.map(({ name, from, to }) => {
    const ends = `${from}-${to}`
    const time = (times.get(ends) ?? 0) + 1
    times.set(ends, time)
    return { name: String(name), called: time === 1 ? ends : `${ends}.${time}`, isInput: !targets.has(from), isOutput: !sources.has(to) }
  })
  return found.every(({ name }) => /^\d{2,}-[\w.@-]+$/.test(name)) ? found : undefined
}

const eachLine = (path: string, take: (line: string) => void): void => {
  const fd = openSync(path, 'r')
  try {
    scanLines(fd, { from: 0, to: fstatSync(fd).size, maxBytes: MAX_LINE_BYTES }, (line) => {
      take(line.toString('utf8'))
      return true
    })
  } finally {
    closeSync(fd)
  }
}

interface OpenInput {
  input: string | undefined
  readonly steps: { readonly wire: string; readonly messages: string[]; readonly time: number }[]
  readonly outputs: string[]
  readonly errors: string[]
}

class RecordReader {
  readonly #inputs = new Map<number, OpenInput>()
  #tokens = 0
  #nano = 0
  readonly #unpriced = new Set<string>()

  get run(): Omit<RecordedRun, 'made'> {
    const inputs = [...this.#inputs]
      .sort(([a], [b]) => a - b)
      .map(([seq, { steps, ...rest }]) => ({ seq, steps: steps.sort((a, b) => a.time - b.time), ...rest }))
    return { inputs, tokens: this.#tokens, nano: this.#nano, unpriced: [...this.#unpriced] }
  }

  carried({ called, isInput, isOutput }: RecordedWire, { seq, time }: { readonly seq: number; readonly time: number }, json: string): void {
    if (seq < 1) return
    const input = this.#at(seq)
    if (isInput) input.input ??= json
    if (isOutput) input.outputs.push(json)
    const last = input.steps.at(-1)
    if (last?.wire === called) last.messages.push(json)
    else input.steps.push({ wire: called, messages: [json], time })
  }

  event(line: string, prices: Prices): void {
    const event = parsed(line)
    if (event?.kind === 'fault' && event.isHandled !== true && isFault(event.fault)) this.#fault(event.fault)
    const telemetry = event?.kind === 'telemetry' && isRecord(event.telemetry) ? event.telemetry : undefined
    if (telemetry?.kind !== 'usage' || telemetry.kept !== undefined) return
    const { usage } = readUsage(telemetry)
    const { model, provider, lane } = telemetry
    const named = {
      ...usage,
      model: String(model),
      ...(typeof provider === 'string' ? { provider } : {}),
      ...(lane === 'batch' ? ({ lane } as const) : {}),
    }
    const cost = costOfUsage(prices, named)
    this.#tokens += totalTokens(usage)
    this.#nano += cost ?? 0
    if (cost === undefined) this.#unpriced.add(named.model)
  }

  #fault(fault: Fault): void {
    for (const seq of numbersIn(fault.seqs ?? fault.seq)) if (seq > 0) this.#at(seq).errors.push(JSON.stringify(fault))
  }

  #at(seq: number): OpenInput {
    const known = this.#inputs.get(seq)
    if (known) return known
    const open: OpenInput = { input: undefined, steps: [], outputs: [], errors: [] }
    this.#inputs.set(seq, open)
    return open
  }
}

const parsed = (line: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
