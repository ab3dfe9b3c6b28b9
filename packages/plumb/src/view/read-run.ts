// Converts the events of a trace to the model of the page. Every value is checked: the file may come from anywhere.

import { RUN_EVENT, type TraceEvent } from '@plumb/runtime/display'
import type { NodeInfo, WireInfo } from '@plumb/runtime/event'
import { fail, type Result, succeed } from '@plumb/wire'
import { brief } from './bars.js'
import { isSelected, type PageShare, type PageShares, pageShares, type Selection } from './page-limits.js'
import { valueBytes } from './parts.js'
import type {
  CallModel,
  CountedItems,
  Lane,
  Note,
  RequestModel,
  RunMessage,
  RunModel,
  ShownCost,
  TurnModel,
  WaitModel,
  WireModel,
} from './run-model.js'
import { showMicroseconds } from './show-time.js'
import { addCosts, NOTHING_SPENT } from './spent.js'
import type { TraceLines } from './trace-lines.js'

/** Maximum of each kind, on each lane or wire, however short the items are. */
const MAX_SHOWN = 500
/** The end of an item, its input, and its size in the page, computed only if it may be shown. */
interface Fit {
  readonly end: number
  readonly seq: number
  readonly bytes: () => number
}

class CountedList<T> implements CountedItems<T> {
  readonly shown: T[] = []
  total = 0
  next: number | undefined

  constructor(
    private readonly share: PageShare,
    private readonly selection: Selection,
  ) {}

  /** Whether the item is shown. */
  add(item: T, { end, seq, bytes }: Fit): boolean {
    this.total++
    if (this.next !== undefined || !isSelected(this.selection, { seq, end })) return false
    if (this.shown.length < MAX_SHOWN && this.share.take(bytes() + ITEM_BYTES)) this.shown.push(item)
    else this.next = end
    return this.next === undefined
  }
}

/** Bytes of the tags of an item and of its bar, whose title is written twice. */
const ITEM_BYTES = 800

interface OpenLane extends Lane {
  readonly work: CountedList<TurnModel>
  readonly calls: CountedList<CallModel>
  readonly requests: CountedList<RequestModel>
  readonly notes: CountedList<Note>
  readonly waits: CountedList<WaitModel>
  readonly begins: number[]
  spent: ShownCost
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
  return succeed({ ...common, nodes, isCut, isSelection, ...reader.model() })
}

class RunReader {
  readonly #lanes = new Map<string, OpenLane>()
  readonly #wires: Map<string, WireModel & { readonly messages: CountedList<RunMessage> }>
  readonly #selection: Selection
  readonly #shares = pageShares()
  readonly #faults: CountedList<Note>
  /** Spans that have not ended, by their ids. */
  readonly #open = new Map<string, TraceEvent>()
  #end = 0
  #last: TraceEvent | undefined

  constructor(wires: readonly WireInfo[], selection: Selection) {
    this.#selection = selection
    this.#faults = this.#listOf<Note>('notes')
    const { messages } = this.#shares
    this.#wires = new Map(
      wires.map((wire, i) => [
        wire.name,
        { wire, id: `m${i}`, messages: new CountedList<RunMessage>(messages.part(wires.length), selection) },
      ]),
    )
  }

  #listOf<T>(kind: keyof PageShares): CountedList<T> {
    return new CountedList<T>(this.#shares[kind], this.#selection)
  }

  model(): Pick<RunModel, 'lanes' | 'wires' | 'faults' | 'end' | 'status' | 'stoppedBy'> {
    const { status, stopped_by: stoppedBy } = this.#last?.args ?? {}
    return {
      lanes: [...this.#lanes.values()].sort((a, b) => beginOf(a) - beginOf(b)),
      wires: [...this.#wires.values()],
      faults: this.#faults,
      end: this.#last === undefined ? this.#end : number(this.#last.ts),
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

  #named({ name, pid, tid, args }: TraceEvent): void {
    const shown = text(args?.name)
    const [, runs, process] = /^(agent|program|plumb) (.*)$/s.exec(shown) ?? []
    if (name === 'process_name' && pid > 1 && process !== undefined) this.#addLane(`${pid}`, process, runs as Lane['runs'])
    else if (name === 'thread_name' && pid === 1) this.#addLane(`1 ${tid}`, shown, 'stage')
  }

  #addLane(key: string, name: string, runs: Lane['runs']): void {
    if (this.#lanes.has(key)) return
    const known = {
      work: this.#listOf<TurnModel>(runs === 'stage' ? 'stages' : 'work'),
      calls: this.#listOf<CallModel>('calls'),
      requests: this.#listOf<RequestModel>('requests'),
      notes: this.#listOf<Note>('notes'),
    }
    const waits = this.#listOf<WaitModel>('requests')
    this.#lanes.set(key, { name, runs, ...known, waits, begins: [], spent: NOTHING_SPENT })
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
    const [waited, held] = [number(args.waited_ms), number(args.held_ms)]
    const anchor = isWork ? undefined : this.#message(event)
    const lane = this.#laneOf(event)
    const isBegun = args.begun !== false
    if (isBegun) lane?.begins.push(start)
    const output = optional(args.output)
    // A stage inside the run has a bar alone: its message is on the wire.
    const bytes = () =>
      2 * valueBytes(brief(error ?? output ?? input ?? '')) + (isWork ? valueBytes(input) + valueBytes(output ?? error) : 0)
    lane?.work.add({ start, end, seq, input, output, error, waited, held, isBegun, anchor }, { end, seq, bytes })
  }

  /** Returns the anchor of the message, if it is shown. */
  #message({ args = {}, ts }: TraceEvent): string | undefined {
    const wire = this.#wires.get(text(args.wire))
    if (!wire) return undefined
    const { id, messages } = wire
    const message = { at: number(ts), seq: number(args.seq), text: text(args.message) }
    const isShown = messages.add(message, { end: message.at, seq: message.seq, bytes: () => valueBytes(message.text) })
    return isShown ? `${id}-${messages.shown.length - 1}` : undefined
  }

  #note(event: TraceEvent): void {
    const { name, args = {}, ts } = event
    if (name === 'end') this.#last = event
    if (/^(end|exited|thinking)$/.test(name)) return
    const lane = this.#laneOf(event)
    const { error, detail, category: _, kind, agent: __, time: ___, seq, ...rest } = args
    const said = optional(detail) ?? (name === 'retry' ? retryText(rest) : (optional(rest.what) ?? JSON.stringify(rest)))
    const process = lane?.name ?? text(args.process ?? args.source)
    const note = { at: number(ts), process, title: name, detail: said, seq: number(seq) }
    const list = error === undefined || kind !== undefined ? lane?.notes : this.#faults
    list?.add(note, { end: note.at, seq: note.seq, bytes: () => valueBytes(note.detail) + valueBytes(process) })
  }

  #ended(event: TraceEvent, begun: TraceEvent | undefined): void {
    if (!begun || event.id === undefined) return
    this.#open.delete(event.id)
    const { args = {}, cat, name } = begun
    const lane = this.#laneOf(begun)
    const interval = { start: number(begun.ts), end: number(event.ts), seq: number(args.seq), agent: text(args.agent) }
    if (cat === 'model') {
      const model = text(args.model) || name
      const cost = typeof args.cost === 'number' && args.cost >= 0 ? args.cost : undefined
      const fit = { ...interval, bytes: () => 2 * valueBytes(model) }
      lane?.requests.add({ ...interval, model, read: number(args.read), written: number(args.written), cost }, fit)
      if (lane) lane.spent = addCosts(lane.spent, cost === undefined ? { known: 0, unpriced: [model] } : { known: cost, unpriced: [] })
    } else if (cat === 'wait') {
      const reason = text(args.reason)
      lane?.waits.add({ ...interval, attempt: number(args.attempt), reason }, { ...interval, bytes: () => 2 * valueBytes(brief(reason)) })
    } else if (cat === 'tool') {
      const call = callOf(name, args)
      // It is shown in the conversation and among the calls.
      const bytes = () =>
        2 * (valueBytes(brief(call.input)) + valueBytes(call.input) + valueBytes(call.result)) + valueBytes(call.stages.join('\n'))
      lane?.calls.add({ ...interval, ...call }, { ...interval, bytes })
    }
  }
}

const beginOf = ({ work, requests }: Lane): number => work.shown[0]?.start ?? requests.shown[0]?.start ?? Number.MAX_VALUE

const callOf = (tool: string, args: Readonly<Record<string, unknown>>): Omit<CallModel, 'start' | 'end' | 'seq' | 'agent'> => {
  const result = args.error ?? args.result
  return {
    tool,
    isOk: args.ok === true,
    input: shown(args.input),
    result: result === undefined ? undefined : shown(result),
    stages: list(args.stages).map(text),
    attempts: number(args.attempts),
    isCached: args.cached === true,
    depth: number(args.depth),
  }
}

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

const retryText = ({ reason, wait_ms: wait }: Readonly<Record<string, unknown>>): string =>
  `${text(reason)}${number(wait) > 0 ? `; again after ${showMicroseconds(number(wait) * 1000)}` : ''}`

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const text = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

const optional = (value: unknown): string | undefined => (value === undefined ? undefined : text(value))

const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)
