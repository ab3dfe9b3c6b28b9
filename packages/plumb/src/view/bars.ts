// Lays lanes out in the rows of the timeline, whose bars do not overlap.

import type { Interval, Lane, RunModel } from './run-model.js'

export interface BarRow {
  readonly label: string
  readonly isFirst: boolean
  readonly kind: string
  readonly bars: readonly Bar[]
}

export interface Bar extends Interval {
  /** `stage`, `agent`, `program`, `plumb`, `request`, `wait` or `tool`; with `many` and a shade if it stands for several. */
  readonly kind: string
  readonly isBad: boolean
  readonly title: string
  readonly anchor: string | undefined
}

const MAX_ROWS = 80
const MAX_BARS = 6000
/** Rows for the bars of one lane that overlap. */
const MAX_PARALLEL_ROWS = 16
/**
 * Overlaps that are ignored, in microseconds and as a share of the run: children report their times in whole milliseconds, a little late,
 * and less than a five hundredth is too narrow to be seen.
 */
const MIN_OVERLAP = 1000
const MIN_OVERLAP_SHARE = 1 / 500
/** With more messages than are shown, the time is cut into parts with a bar each, darker for more messages. */
const MAX_PARTS = 200
/** Of all lanes together. */
const MAX_DENSITY_BARS = 1200
const SHADES = 4

export interface Rows {
  readonly rows: readonly BarRow[]
  readonly rowsLeftOut: number
  readonly barsLeftOut: number
  /** Some bars stand for several messages. */
  readonly hasMany: boolean
}

export const rowsOf = ({ lanes, end }: RunModel): Rows => {
  const parts = Math.max(1, Math.min(MAX_PARTS, Math.floor(MAX_DENSITY_BARS / lanes.length)))
  const all = lanes.flatMap((lane, i) => rowsOfLane(lane, i, { end, parts }))
  const rows = all.slice(0, MAX_ROWS)
  let room = MAX_BARS
  const shown = rows.map((row) => {
    const bars = row.bars.slice(0, room)
    room -= bars.length
    return { ...row, bars }
  })
  const barsLeftOut = lanes.reduce((sum, lane) => sum + countHidden(lane.calls) + countHidden(lane.requests), 0) + countExcess(rows)
  return { rows: shown, rowsLeftOut: all.length - rows.length, barsLeftOut, hasMany: lanes.some(({ work }) => countHidden(work) > 0) }
}

const countHidden = ({ shown, total }: { readonly shown: readonly unknown[]; readonly total: number }): number => total - shown.length

const countExcess = (rows: readonly BarRow[]): number => Math.max(0, rows.reduce((sum, { bars }) => sum + bars.length, 0) - MAX_BARS)

const rowsOfLane = (lane: Lane, index: number, { end, parts }: { readonly end: number; readonly parts: number }): BarRow[] => {
  const { name, runs, work, requests, calls, waits } = lane
  const slack = Math.max(MIN_OVERLAP, end * MIN_OVERLAP_SHARE)
  const isWhole = countHidden(work) === 0
  const bars = work.shown.flatMap((turn, i): Bar[] => {
    if (!turn.isBegun) return []
    const text = turn.error ?? turn.output ?? turn.input ?? ''
    const anchor = runs === 'stage' ? turn.anchor : `w${index}-${i}`
    return [{ ...turn, kind: runs, isBad: turn.error !== undefined, title: `${name} #${turn.seq}: ${brief(text)}`, anchor }]
  })
  const asked = requests.shown.map((request): Bar => {
    const { model, read, written } = request
    return { ...request, kind: 'request', isBad: false, title: `${model}: ${read} tokens read, ${written} written`, anchor: undefined }
  })
  const waited = waits.shown.map((wait): Bar => {
    const title = `waits before attempt ${wait.attempt + 1}: ${brief(wait.reason)}`
    return { ...wait, kind: 'wait', isBad: false, title, anchor: undefined }
  })
  const called = calls.shown.map((call, i): Bar => {
    const title = `${call.tool} ${brief(call.input)}${call.isOk ? '' : ' failed'}`
    return { ...call, kind: 'tool', isBad: !call.isOk, title, anchor: `t${index}-${i}` }
  })
  const first = isWhole ? [] : [{ label: name, bars: densityBars(lane, end, parts) }]
  const own =
    runs === 'stage'
      ? isWhole
        ? [{ label: name, bars }]
        : []
      : packBars(bars, isWhole ? name : bars.length === 0 ? '' : `${bars.length} of them`, slack)
  const others = [...packRequests(asked, waited, slack), ...packBars(called, 'tools', slack)]
  const rows = [...first, ...own, ...others].filter((row) => row.bars.length > 0)
  return rows.map((row) => ({ ...row, isFirst: row.label === name, kind: runs }))
}

// Puts each bar into the first free row, or into the last if none is.
const packBars = (bars: readonly Bar[], label: string, slack: number): { label: string; bars: Bar[] }[] => {
  const rows: { label: string; bars: Bar[]; end: number }[] = []
  for (const bar of [...bars].sort((a, b) => a.start - b.start)) {
    let row = rows.find(({ end }) => end <= bar.start + slack)
    if (!row && rows.length < MAX_PARALLEL_ROWS) {
      row = { label: rows.length === 0 ? label : '', bars: [], end: 0 }
      rows.push(row)
    }
    row ??= rows.at(-1) as (typeof rows)[number]
    row.bars.push(bar)
    row.end = Math.max(row.end, bar.end)
  }
  return rows
}

// A retried request has one bar for all attempts: the waits are drawn on top of it.
const packRequests = (asked: readonly Bar[], waited: readonly Bar[], slack: number): { label: string; bars: Bar[] }[] => {
  const isIn = (wait: Bar, bar: Bar) => bar.seq === wait.seq && bar.start <= wait.start + slack && wait.start <= bar.end + slack
  const rows = packBars([...asked, ...waited.filter((wait) => !asked.some((bar) => isIn(wait, bar)))], 'requests', slack)
  for (const wait of waited) {
    const row = rows.find(({ bars }) => !bars.includes(wait) && bars.some((bar) => bar.kind === 'request' && isIn(wait, bar)))
    row?.bars.push(wait)
  }
  for (const { bars } of rows) bars.sort((a, b) => a.start - b.start)
  return rows
}

const densityBars = ({ name, runs, begins }: Lane, end: number, parts: number): Bar[] => {
  const counts = new Array<number>(parts).fill(0)
  const size = Math.max(1, end) / parts
  for (const begin of begins) {
    const part = Math.min(parts - 1, Math.floor(begin / size))
    counts[part] = (counts[part] ?? 0) + 1
  }
  const max = Math.max(...counts)
  return counts.flatMap((count, i): Bar[] => {
    if (count === 0) return []
    const shade = Math.max(1, Math.ceil((Math.log1p(count) / Math.log1p(max)) * SHADES))
    const title = `${name}: ${count} ${count === 1 ? 'message' : 'messages'}`
    return [{ start: i * size, end: (i + 1) * size, seq: 0, kind: `${runs} many s${shade}`, isBad: false, title, anchor: undefined }]
  })
}

/** The beginning of a text, for the title of a bar. */
export const brief = (text: string): string => (text.length > 120 ? `${text.slice(0, 120)}…` : text)
