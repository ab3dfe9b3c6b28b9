// Lanes laid out in rows of bars that do not overlap: what the timeline draws.

import type { Lane, Piece, RunModel } from './run-model.js'

export interface Row {
  readonly label: string
  readonly isFirst: boolean
  readonly kind: string
  readonly bars: readonly Bar[]
}

export interface Bar extends Piece {
  /** `stage`, `agent`, `program`, `plumb`, `request` or `tool`. */
  readonly kind: string
  readonly isBad: boolean
  readonly title: string
  readonly anchor: string | undefined
}

const MOST_ROWS = 80
const MOST_BARS = 6000
/** Rows for what one lane does at the same time. */
const MOST_PARALLEL = 6
/** Requests are timed to the millisecond. */
const SLACK = 1000

export interface Rows {
  readonly rows: readonly Row[]
  readonly rowsLeftOut: number
  readonly barsLeftOut: number
}

export const rowsOf = ({ lanes }: RunModel): Rows => {
  const all = lanes.flatMap((lane, i) => rowsOfLane(lane, i))
  const rows = all.slice(0, MOST_ROWS)
  let room = MOST_BARS
  const shown = rows.map((row) => {
    const bars = row.bars.slice(0, room)
    room -= bars.length
    return { ...row, bars }
  })
  const known = lanes.reduce((sum, { work, calls, requests }) => sum + work.total + calls.total + requests.total, 0)
  return { rows: shown, rowsLeftOut: all.length - rows.length, barsLeftOut: known - (MOST_BARS - room) }
}

const rowsOfLane = (lane: Lane, index: number): Row[] => {
  const { name, runs, work, requests, calls } = lane
  const bars = work.shown.map((turn, i): Bar => {
    const said = turn.error ?? turn.output ?? turn.input ?? ''
    const anchor = runs === 'stage' ? turn.anchor : `w${index}-${i}`
    return { ...turn, kind: runs, isBad: turn.error !== undefined, title: `${name} #${turn.seq}: ${brief(said)}`, anchor }
  })
  const asked = requests.shown.map((request): Bar => {
    const { model, read, written } = request
    return { ...request, kind: 'request', isBad: false, title: `${model}: ${read} tokens read, ${written} written`, anchor: undefined }
  })
  const called = calls.shown.map((call, i): Bar => {
    const title = `${call.tool} ${brief(call.input)}${call.isOk ? '' : ' failed'}`
    return { ...call, kind: 'tool', isBad: !call.isOk, title, anchor: `t${index}-${i}` }
  })
  if (bars.length + asked.length + called.length === 0) return []
  const others = [...packed(asked, 'requests'), ...packed(called, 'tools')].map((row) => ({ ...row, isFirst: false, kind: runs }))
  return [{ label: name, isFirst: true, kind: runs, bars }, ...others]
}

// Each in the first row that is free by then, the last where none is.
const packed = (bars: readonly Bar[], label: string): { label: string; bars: Bar[] }[] => {
  const rows: { label: string; bars: Bar[]; end: number }[] = []
  for (const bar of [...bars].sort((a, b) => a.start - b.start)) {
    let row = rows.find(({ end }) => end <= bar.start + SLACK)
    if (!row && rows.length < MOST_PARALLEL) {
      row = { label: rows.length === 0 ? label : '', bars: [], end: 0 }
      rows.push(row)
    }
    row ??= rows.at(-1) as (typeof rows)[number]
    row.bars.push(bar)
    row.end = bar.end
  }
  return rows
}

const brief = (text: string): string => (text.length > 120 ? `${text.slice(0, 120)}…` : text)
