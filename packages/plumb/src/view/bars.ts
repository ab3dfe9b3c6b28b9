// Lanes laid out in rows of bars that do not overlap: what the timeline draws.

import type { Lane, Piece, RunModel } from './run-model.js'

export interface Row {
  readonly label: string
  readonly isFirst: boolean
  readonly kind: string
  readonly bars: readonly Bar[]
}

export interface Bar extends Piece {
  /** `stage`, `agent`, `program`, `plumb`, `request`, `wait` or `tool`; with `many` and how dark where it stands for several. */
  readonly kind: string
  readonly isBad: boolean
  readonly title: string
  readonly anchor: string | undefined
}

const MOST_ROWS = 80
const MOST_BARS = 6000
/** Rows for what one lane does at the same time. */
const MOST_PARALLEL = 16
/** Children tell of their times in whole milliseconds, and are heard a little later. What overlaps by less than can be seen is drawn as if it did not. */
const SLACK = 1000
const UNSEEN = 1 / 500
/** Where there are more pieces than are shown, so many parts of the time have a bar each, as dark as they are full. */
const PARTS = 200
const SHADES = 4

export interface Rows {
  readonly rows: readonly Row[]
  readonly rowsLeftOut: number
  readonly barsLeftOut: number
  /** Some bars stand for several pieces of work. */
  readonly hasMany: boolean
}

export const rowsOf = ({ lanes, end }: RunModel): Rows => {
  const all = lanes.flatMap((lane, i) => rowsOfLane(lane, i, end))
  const rows = all.slice(0, MOST_ROWS)
  let room = MOST_BARS
  const shown = rows.map((row) => {
    const bars = row.bars.slice(0, room)
    room -= bars.length
    return { ...row, bars }
  })
  const barsLeftOut = lanes.reduce((sum, lane) => sum + missing(lane.calls) + missing(lane.requests), 0) + excess(rows)
  return { rows: shown, rowsLeftOut: all.length - rows.length, barsLeftOut, hasMany: lanes.some(({ work }) => missing(work) > 0) }
}

const missing = ({ shown, total }: { readonly shown: readonly unknown[]; readonly total: number }): number => total - shown.length

const excess = (rows: readonly Row[]): number => Math.max(0, rows.reduce((sum, { bars }) => sum + bars.length, 0) - MOST_BARS)

const rowsOfLane = (lane: Lane, index: number, end: number): Row[] => {
  const { name, runs, work, requests, calls, waits } = lane
  const slack = Math.max(SLACK, end * UNSEEN)
  const isWhole = missing(work) === 0
  const bars = work.shown.flatMap((turn, i): Bar[] => {
    if (!turn.isBegun) return []
    const said = turn.error ?? turn.output ?? turn.input ?? ''
    const anchor = runs === 'stage' ? turn.anchor : `w${index}-${i}`
    return [{ ...turn, kind: runs, isBad: turn.error !== undefined, title: `${name} #${turn.seq}: ${brief(said)}`, anchor }]
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
  const first = isWhole ? [] : [{ label: name, bars: parts(lane, end) }]
  const own = runs === 'stage' ? (isWhole ? [{ label: name, bars }] : []) : packed(bars, isWhole ? name : `the first ${bars.length}`, slack)
  const others = [...withWaits(asked, waited, slack), ...packed(called, 'tools', slack)]
  const rows = [...first, ...own, ...others].filter((row) => row.bars.length > 0)
  return rows.map((row) => ({ ...row, isFirst: row.label === name, kind: runs }))
}

// Each in the first row that is free by then, the last where none is.
const packed = (bars: readonly Bar[], label: string, slack: number): { label: string; bars: Bar[] }[] => {
  const rows: { label: string; bars: Bar[]; end: number }[] = []
  for (const bar of [...bars].sort((a, b) => a.start - b.start)) {
    let row = rows.find(({ end }) => end <= bar.start + slack)
    if (!row && rows.length < MOST_PARALLEL) {
      row = { label: rows.length === 0 ? label : '', bars: [], end: 0 }
      rows.push(row)
    }
    row ??= rows.at(-1) as (typeof rows)[number]
    row.bars.push(bar)
    row.end = Math.max(row.end, bar.end)
  }
  return rows
}

// A request that was made again has one bar for all of it: the wait is drawn on top of that.
const withWaits = (asked: readonly Bar[], waited: readonly Bar[], slack: number): { label: string; bars: Bar[] }[] => {
  const isIn = (wait: Bar, bar: Bar) => bar.seq === wait.seq && bar.start <= wait.start + slack && wait.start <= bar.end + slack
  const rows = packed([...asked, ...waited.filter((wait) => !asked.some((bar) => isIn(wait, bar)))], 'requests', slack)
  for (const wait of waited) {
    const row = rows.find(({ bars }) => !bars.includes(wait) && bars.some((bar) => bar.kind === 'request' && isIn(wait, bar)))
    row?.bars.push(wait)
  }
  for (const { bars } of rows) bars.sort((a, b) => a.start - b.start)
  return rows
}

const parts = ({ name, runs, begins }: Lane, end: number): Bar[] => {
  const counts = new Array<number>(PARTS).fill(0)
  const size = Math.max(1, end) / PARTS
  for (const begin of begins) {
    const part = Math.min(PARTS - 1, Math.floor(begin / size))
    counts[part] = (counts[part] ?? 0) + 1
  }
  const most = Math.max(...counts)
  return counts.flatMap((count, i): Bar[] => {
    if (count === 0) return []
    const shade = Math.max(1, Math.ceil((Math.log1p(count) / Math.log1p(most)) * SHADES))
    const title = `${name}: ${count} ${count === 1 ? 'message' : 'messages'}`
    return [{ start: i * size, end: (i + 1) * size, seq: 0, kind: `${runs} many s${shade}`, isBad: false, title, anchor: undefined }]
  })
}

const brief = (text: string): string => (text.length > 120 ? `${text.slice(0, 120)}…` : text)
