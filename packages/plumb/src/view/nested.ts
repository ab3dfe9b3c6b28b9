// The runs inside a run: what nested plumbs have recorded is shown behind them, by the inputs of the outermost.

import { join } from 'node:path'
import { readTrace } from '../record/trace-lines.js'
import { readRun } from './read-run.js'
import { withRecord } from './record-facts.js'
import type { Interval, Lane, RunModel, WireModel } from './run-model.js'

const MAX_DEPTH = 8
export const TRACE_FILE = 'trace.json'

/** Requests and calls of a nested plumb are those of its processes. A plumb without a record stays as it is. */
export const withNested = async (run: RunModel, directory: string, depth = 0): Promise<RunModel> => {
  if (depth >= MAX_DEPTH) return run
  const lanes: Lane[] = []
  const innerWires: WireModel[] = []
  for (const lane of run.lanes) {
    const inner = lane.runs === 'plumb' ? await readInner(lane, directory, depth) : undefined
    lanes.push(inner ? { ...lane, requests: [], calls: [], waits: [], notes: [] } : lane)
    if (!inner) continue
    lanes.push(...innerLanes(inner, lane, run))
    innerWires.push(...[...inner.wires, ...inner.innerWires].map((wire) => inPlace(wire, lane.place)))
  }
  return { ...run, lanes, innerWires }
}

const inPlace = (of: WireModel, place: string): WireModel => ({
  ...of,
  wire: { ...of.wire, from: `${place}~${of.wire.from}`, to: `${place}~${of.wire.to}` },
})

const readInner = async (lane: Lane, directory: string, depth: number): Promise<RunModel | undefined> => {
  if (/^\.*$|[/\\]/.test(lane.name)) return undefined
  const inside = join(directory, lane.name)
  const trace = await readTrace(join(inside, TRACE_FILE))
  const run = trace.ok ? readRun(trace.value, inside) : trace
  return run.ok ? withNested(withRecord(run.value, inside), inside, depth + 1) : undefined
}

const innerLanes = (inner: RunModel, outer: Lane, run: RunModel): Lane[] => {
  const seqs = new Map(outer.work.map(({ n, seq }) => [n, seq]))
  const shift = (Date.parse(inner.time) - Date.parse(run.time)) * 1000 || 0
  const moved = <T extends Interval>(items: readonly T[]): T[] =>
    items.flatMap((item) => {
      const seq = seqs.get(item.seq)
      if (seq === undefined && run.isSelection) return []
      return [{ ...item, seq: seq ?? 0, start: item.start + shift, end: item.end + shift }]
    })
  return inner.lanes.flatMap((lane): Lane[] => {
    if (lane.runs === 'stage') return []
    const notes = lane.notes.map((note) => ({ ...note, at: note.at + shift, seq: seqs.get(note.seq) ?? 0 }))
    const name = `${outer.name}.${lane.name}`
    const lists = { work: moved(lane.work), calls: moved(lane.calls), requests: moved(lane.requests), waits: moved(lane.waits), notes }
    return [{ ...lane, name, place: `${outer.place}~${lane.place}`, ...lists }]
  })
}
