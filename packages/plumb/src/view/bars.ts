// Lays lanes out in the rows of the timeline, whose bars do not overlap.

import { callId, requestId, turnId } from './inputs.js'
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
  /** What is written in it, where it has room. */
  readonly label: string
  /** The place on the page that says more. */
  readonly anchor: string | undefined
}

const MAX_ROWS = 80
const MAX_BARS = 2400
/** Of one kind on one lane; with more messages than that, bars stand for several. */
const MAX_SHOWN = 500
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

export const rowsOf = ({ lanes, start, end }: RunModel): Rows => {
  const parts = Math.max(1, Math.min(MAX_PARTS, Math.floor(MAX_DENSITY_BARS / lanes.length)))
  const all = lanes.flatMap((lane, i) => rowsOfLane(lane, i, { start, end, parts }))
  const rows = all.slice(0, MAX_ROWS)
  const most = mostBars(rows)
  const shown = rows.map((row) => ({ ...row, bars: row.bars.slice(0, most) }))
  const hidden = lanes.reduce((sum, { calls, requests }) => sum + excessOf(calls) + excessOf(requests), 0)
  const excess = rows.reduce((sum, { bars }) => sum + Math.max(0, bars.length - most), 0)
  return {
    rows: shown,
    rowsLeftOut: all.length - rows.length,
    barsLeftOut: hidden + excess,
    hasMany: lanes.some(({ work }) => excessOf(work) > 0),
  }
}

/** Of one row: the longest have fewer, so that none is empty. */
const mostBars = (rows: readonly BarRow[]): number => {
  let room = MAX_BARS
  const lengths = rows.map(({ bars }) => bars.length).sort((a, b) => a - b)
  for (const [i, length] of lengths.entries()) {
    const share = Math.floor(room / (lengths.length - i))
    if (length > share) return share
    room -= length
  }
  return MAX_BARS
}

const excessOf = (items: readonly unknown[]): number => Math.max(0, items.length - MAX_SHOWN)

const first = <T>(items: readonly T[]): readonly T[] => items.slice(0, MAX_SHOWN)

interface Scale {
  readonly start: number
  readonly end: number
  readonly parts: number
}

const rowsOfLane = (lane: Lane, index: number, scale: Scale): BarRow[] => {
  const { name, runs, work } = lane
  const slack = Math.max(MIN_OVERLAP, (scale.end - scale.start) * MIN_OVERLAP_SHARE)
  const isWhole = excessOf(work) === 0
  const bars = workBars(lane, index)
  const { asked, waited, called } = otherBars(lane, index)
  const many = isWhole ? [] : [{ label: name, bars: densityBars(lane, scale) }]
  const own =
    runs === 'stage'
      ? isWhole
        ? [{ label: name, bars }]
        : []
      : packBars(bars, isWhole ? name : bars.length === 0 ? '' : `${bars.length} of them`, slack)
  const others = [...packRequests(asked, waited, slack), ...packBars(called, 'tools', slack)]
  const rows = [...many, ...own, ...others].filter((row) => row.bars.length > 0)
  return rows.map((row) => ({ ...row, label: brief(row.label), isFirst: row.label === name, kind: runs }))
}

const numbered = (seq: number): string => (seq > 0 ? `#${seq}` : '')

const workBars = ({ name, runs, work }: Lane, index: number): Bar[] =>
  first(work).flatMap((turn, i): Bar[] => {
    if (!turn.isBegun) return []
    const text = turn.error ?? turn.output ?? turn.input ?? ''
    const anchor = runs === 'stage' ? `${turn.seq}` : turnId(index, i)
    const isBad = turn.error !== undefined
    const kind = /^(parked|in_doubt):/.test(turn.error ?? '') ? `${runs} waits` : runs
    return [{ ...turn, kind, isBad, title: `${brief(name)} #${turn.seq}: ${brief(text)}`, label: numbered(turn.seq), anchor }]
  })

const otherBars = ({ requests, waits, calls }: Lane, index: number): Readonly<Record<'asked' | 'waited' | 'called', Bar[]>> => ({
  asked: first(requests).map((request, i): Bar => {
    const { model, read, written, source, seq } = request
    // What is written in a bar is part of its name.
    const who = seq > 0 ? `#${seq} ${brief(model)}` : brief(model)
    const title = source === undefined ? `${who}: ${read} tokens read, ${written} written` : `${who}: from the ${source}`
    return { ...request, kind: 'request', isBad: false, title, label: numbered(request.seq), anchor: requestId(index, i) }
  }),
  waited: first(waits).map((wait): Bar => {
    const title = `waits before attempt ${wait.attempt + 1}: ${brief(wait.reason)}`
    return { ...wait, kind: 'wait', isBad: false, title, label: '', anchor: undefined }
  }),
  called: first(calls).map((call, i): Bar => {
    const title = `${brief(call.tool)} ${brief(call.input)}${call.isOk ? '' : call.isWaiting ? ' waits' : ' failed'}`
    return {
      ...call,
      kind: call.isWaiting ? 'tool waits' : 'tool',
      isBad: !call.isOk && !call.isWaiting,
      title,
      label: call.tool.slice(0, 40),
      anchor: callId(index, i),
    }
  }),
})

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

const densityBars = ({ name, runs, work }: Lane, { start, end, parts }: Scale): Bar[] => {
  const counts = new Array<number>(parts).fill(0)
  const size = Math.max(1, end - start) / parts
  for (const turn of work.filter(({ isBegun }) => isBegun)) {
    const part = Math.max(0, Math.min(parts - 1, Math.floor((turn.start - start) / size)))
    counts[part] = (counts[part] ?? 0) + 1
  }
  const max = Math.max(...counts)
  return counts.flatMap((count, i): Bar[] => {
    if (count === 0) return []
    const shade = Math.max(1, Math.ceil((Math.log1p(count) / Math.log1p(max)) * SHADES))
    const title = `${brief(name)}: ${count} ${count === 1 ? 'message' : 'messages'}`
    const at = { start: start + i * size, end: start + (i + 1) * size, seq: 0 }
    return [{ ...at, kind: `${runs} many s${shade}`, isBad: false, title, label: '', anchor: undefined }]
  })
}

/** The beginning of a text, for the title of a bar. */
const brief = (text: string): string => (text.length > MAX_BRIEF ? `${text.slice(0, MAX_BRIEF)}…` : text)

const MAX_BRIEF = 60
