// Converts the events of a trace to the model of the page. Every value is checked: the file may come from anywhere.

import { RUN_EVENT, type TraceEvent } from '@plumb/runtime/display'
import type { NodeInfo, WireInfo } from '@plumb/runtime/event'
import { fail, type Result, succeed } from '@plumb/wire'
import type { TraceLines } from '../record/trace-lines.js'
import { isSelected, type Selection } from './page-limits.js'
import type { CallModel, Lane, Note, RequestModel, RunMessage, RunModel, WaitModel } from './run-model.js'
import { showMicroseconds } from './show-time.js'

type Open<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer Item)[] ? Item[] : T[K] }
type OpenLane = Open<Lane>
interface OpenWire {
  readonly wire: WireInfo
  readonly messages: RunMessage[]
  total: number
}

export const readRun = ({ events, isCut }: TraceLines, path: string, selection: Selection = {}): Result<RunModel> => {
  const begin = events.find(({ name, ph }) => ph === 'M' && name === RUN_EVENT)
  if (!begin) return fail('config_invalid', `'${path}' is not a trace that plumb wrote; make one with 'plumb --trace FILE'`, { path })
  const run = begin.args ?? {}
  const wires = list(run.wires).map(wireOf)
  const nodes = list(run.nodes).map(nodeOf)
  const reader = new RunReader(wires, selection)
  for (const event of events) reader.add(event)
  const common = { spec: text(run.spec), binding: text(run.binding), time: text(run.time), dot: text(run.dot) }
  const isSelection = selection.seqs !== undefined || selection.from !== undefined
  return succeed({ ...common, nodes, isCut, isSelection, isGoingOn: false, innerWires: [], ...reader.model(isSelection) })
}

class RunReader {
  readonly #lanes = new Map<string, OpenLane>()
  readonly #wires: Map<string, OpenWire>
  readonly #selection: Selection
  readonly #faults: Note[] = []
  /** Spans that have not ended, by their ids. */
  readonly #open = new Map<string, TraceEvent>()
  #end = 0
  #last: TraceEvent | undefined
  /** Of what was selected. */
  #first = Number.MAX_VALUE
  #until = 0

  constructor(wires: readonly WireInfo[], selection: Selection) {
    this.#selection = selection
    this.#wires = new Map(wires.map((wire) => [wire.name, { wire, messages: [], total: 0 }]))
  }

  model(isSelection: boolean): Pick<RunModel, 'lanes' | 'wires' | 'faults' | 'start' | 'end' | 'status' | 'stoppedBy'> {
    const { status, stopped_by: stoppedBy } = this.#last?.args ?? {}
    const end = this.#last === undefined ? this.#end : number(this.#last.ts)
    const hasSome = isSelection && this.#until > 0
    return {
      lanes: [...this.#lanes.values()].map(withWaiting).sort((a, b) => beginOf(a) - beginOf(b)),
      wires: [...this.#wires.values()],
      faults: this.#faults,
      start: hasSome ? Math.min(this.#first, end) : 0,
      end: hasSome ? Math.min(this.#until, Math.max(end, this.#first)) : end,
      status: typeof status === 'number' ? status : undefined,
      stoppedBy: typeof stoppedBy === 'string' ? stoppedBy : undefined,
    }
  }

  add(event: TraceEvent): void {
    this.#end = Math.max(this.#end, number(event.ts) + number(event.dur))
    const { ph, cat } = event
    if (ph === 'M') this.#named(event)
    else if (ph === 'X') this.#slice(event)
    else if (ph === 'i' && cat === 'wire') this.#message(event)
    else if (ph === 'i') this.#note(event)
    else if (ph === 'b' && event.id !== undefined) this.#open.set(event.id, event)
    else if (ph === 'e' && event.id !== undefined) this.#ended(event, this.#open.get(event.id))
  }

  #isSelected(item: { readonly seq: number; readonly start?: number; readonly end: number }): boolean {
    if (!isSelected(this.#selection, item)) return false
    this.#first = Math.min(this.#first, item.start ?? item.end)
    this.#until = Math.max(this.#until, item.end)
    return true
  }

  #named({ name, pid, tid, args }: TraceEvent): void {
    const shown = text(args?.name)
    const [, runs, process] = /^(agent|program|plumb) (.*)$/s.exec(shown) ?? []
    if (name === 'process_name' && pid > 1 && process !== undefined) this.#addLane(`${pid}`, process, runs as Lane['runs'])
    else if (name === 'thread_name' && pid === 1) this.#addLane(`1 ${tid}`, shown, 'stage')
  }

  #addLane(key: string, name: string, runs: Lane['runs']): void {
    if (this.#lanes.has(key)) return
    this.#lanes.set(key, { name, place: name, runs, work: [], calls: [], requests: [], notes: [], waits: [] })
  }

  #laneOf({ pid, tid }: TraceEvent): OpenLane | undefined {
    return this.#lanes.get(pid === 1 ? `1 ${tid}` : `${pid}`)
  }

  #slice(event: TraceEvent): void {
    const { args = {}, cat } = event
    const [start, end, seq] = [number(event.ts), number(event.ts) + number(event.dur), number(args.seq)]
    const isWork = cat === 'work'
    const input = optional(isWork ? args.input : args.message)
    const error = args.error === undefined ? undefined : `${text(args.error)}: ${text(args.detail)}`
    const [waited, held, n] = [number(args.waited_ms), number(args.held_ms), number(args.n)]
    if (!isWork) this.#message(event)
    if (!this.#isSelected({ start, end, seq })) return
    const turn = { start, end, seq, n, input, output: optional(args.output), error, waited, held, isBegun: args.begun !== false }
    this.#laneOf(event)?.work.push(turn)
  }

  #message({ args = {}, ts }: TraceEvent): void {
    const wire = this.#wires.get(text(args.wire))
    if (!wire) return
    const message = { index: wire.total++, at: number(ts), seq: number(args.seq), text: text(args.message) }
    if (this.#isSelected({ seq: message.seq, end: message.at })) wire.messages.push(message)
  }

  #note(event: TraceEvent): void {
    const { name, args = {}, ts } = event
    if (name === 'end') this.#last = event
    if (/^(end|exited|thinking)$/.test(name)) return
    const lane = this.#laneOf(event)
    if (name === 'kept') return this.#keptAnswer(event, lane)
    const { error, detail, category: _, kind, agent: __, time: ___, seq, seqs, told, ...rest } = args
    const said = optional(detail) ?? (name === 'retry' ? retryText(rest) : (optional(rest.what) ?? JSON.stringify(rest)))
    const process = lane?.name ?? text(args.process ?? args.source)
    const ranges = list(seqs).filter(isRange)
    const note: Note = {
      ...{ at: number(ts), process, title: name, detail: said, seq: number(seq) },
      ...(ranges.length > 0 ? { seqs: ranges } : {}),
      ...(typeof told === 'string' ? { told } : {}),
    }
    const isOfSome = ranges.some(([first]) => this.#isSelected({ seq: first, end: note.at }))
    if (!isOfSome && !this.#isSelected({ seq: note.seq, end: note.at })) return
    const notes = error === undefined || kind !== undefined ? lane?.notes : this.#faults
    notes?.push(note)
  }

  #keptAnswer({ args = {}, ts }: TraceEvent, lane: OpenLane | undefined): void {
    const interval = { start: number(ts), end: number(ts), seq: number(args.seq) }
    if (!this.#isSelected(interval)) return
    const told = {
      model: text(args.model),
      agent: '',
      read: 0,
      written: 0,
      cost: 0,
      key: optional(args.request),
      source: text(args.source),
    }
    lane?.requests.push({ ...interval, ...told })
  }

  #ended(event: TraceEvent, begun: TraceEvent | undefined): void {
    if (!begun || event.id === undefined) return
    this.#open.delete(event.id)
    const { args = {}, cat, name } = begun
    const lane = this.#laneOf(begun)
    const interval = { start: number(begun.ts), end: number(event.ts), seq: number(args.seq), agent: text(args.agent) }
    if (!lane || !this.#isSelected(interval)) return
    if (cat === 'model') lane.requests.push(requestOf(name, args, interval))
    else if (cat === 'wait') lane.waits.push({ ...interval, attempt: number(args.attempt), reason: text(args.reason) } as WaitModel)
    else if (cat === 'tool') lane.calls.push({ ...interval, ...callOf(name, args) })
  }
}

// The last call of a parked turn, which has no result.
const withWaiting = (lane: OpenLane): Lane => {
  const parked = new Set(lane.work.flatMap(({ error, seq }) => (/^(parked|in_doubt):/.test(error ?? '') ? [seq] : [])))
  if (parked.size === 0) return lane
  const last = new Map(lane.calls.flatMap((call) => (!call.isOk && parked.has(call.seq) ? [[call.seq, call]] : [])))
  return { ...lane, calls: lane.calls.map((call) => (last.get(call.seq) === call ? { ...call, isWaiting: true } : call)) }
}

const beginOf = ({ work, requests }: Lane): number => work[0]?.start ?? requests[0]?.start ?? Number.MAX_VALUE

type Args = Readonly<Record<string, unknown>>

const requestOf = (name: string, args: Args, interval: Pick<RequestModel, 'start' | 'end' | 'seq' | 'agent'>): RequestModel => ({
  ...interval,
  model: text(args.model) || name,
  read: number(args.read),
  written: number(args.written),
  cost: typeof args.cost === 'number' && args.cost >= 0 ? args.cost : undefined,
  key: optional(args.request),
  source: undefined,
})

const callOf = (tool: string, args: Args): Omit<CallModel, 'start' | 'end' | 'seq' | 'agent'> => {
  const result = args.error ?? args.result
  return {
    id: text(args.call),
    tool,
    isOk: args.ok === true,
    isWaiting: false,
    input: shown(args.input),
    result: result === undefined ? undefined : shown(result),
    stages: list(args.stages).map(text),
    attempts: number(args.attempts),
    isCached: args.cached === true,
    depth: number(args.depth),
  }
}

const isRange = (value: unknown): value is [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every((one) => Number.isSafeInteger(one) && one > 0)

// A value that was cut is a text, and not JSON any more.
const shown = (value: unknown): string => (typeof value === 'string' && value.endsWith('…') ? value : (JSON.stringify(value) ?? ''))

const wireOf = (value: unknown): WireInfo => {
  const { index, name, from, fromPort, to, toPort, type } = (value ?? {}) as Partial<WireInfo>
  const ends = { from: text(from), fromPort: text(fromPort), to: text(to), toPort: text(toPort) }
  return { index: number(index), name: text(name), ...ends, type: typeof type === 'string' ? type : null }
}

const nodeOf = (value: unknown): NodeInfo => {
  const { name, kind } = (value ?? {}) as Partial<NodeInfo>
  return { name: text(name), kind: text(kind) as NodeInfo['kind'] }
}

const retryText = ({ reason, wait_ms: wait }: Args): string =>
  `${text(reason)}${number(wait) > 0 ? `; again after ${showMicroseconds(number(wait) * 1000)}` : ''}`

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const text = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

const optional = (value: unknown): string | undefined => (value === undefined ? undefined : text(value))

const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)
