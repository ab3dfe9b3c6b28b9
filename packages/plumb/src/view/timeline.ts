// The timeline: rows for each process, its requests and its tool calls, over one axis that can be stretched.

import { type Bar, type BarRow, type Rows, rowsOf } from './bars.js'
import { type Html, html } from './html.js'
import type { RunModel } from './run-model.js'
import { axisTicks, showMicroseconds } from './show-time.js'

/** Pixels; the style has the same. */
const ROW = 24
const BAR = 16
const AXIS = 26
/** Times along the axis; the script of the page shows others where it is stretched. */
const TICKS = 8
/** Shares of the whole from which a bar has room for its number, and is visible in a window of any width. */
const MIN_NUMBERED = 0.03
/** Characters that such a bar has room for. */
const MAX_NUMBERED = 8
const MIN_VISIBLE = 0.006
/** A time beyond is written before its line. */
const LATE = 0.93

interface Axis {
  readonly start: number
  readonly length: number
}

export const timeline = (run: RunModel): Html => {
  const chart = rowsOf(run)
  const axis = { start: run.start, length: Math.max(1, run.end - run.start) }
  const height = AXIS + chart.rows.length * ROW
  return html`
<section id="timeline" aria-labelledby="timeline-title">
<h2 id="timeline-title">Timeline</h2>
${note(chart)}
<div class="tools" data-script hidden><button type="button" id="closer" title="Stretch (+)">+</button><button type="button" id="wider" title="Compress (-)">&minus;</button><button type="button" id="whole" title="Show all of it (0)">all</button>
<span class="hint">wheel and drag stretch it; arrow keys go from bar to bar, Enter shows what it is</span></div>
<div class="timeline">
<ol class="labels" aria-hidden="true"><li class="axis"></li>${chart.rows.map(label)}</ol>
<div class="scroll" tabindex="0" role="group" aria-label="Bars of the timeline" id="bars">
<svg id="chart" width="100%" height="${height}" data-start="${axis.start}" data-length="${axis.length}">
<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="ground" width="6" height="6"/><rect class="stripe" width="2.5" height="6"/></pattern></defs>
<g class="ticks" id="ticks">${axisTicks(axis.length, TICKS).map((at) => tick(at, axis, height))}</g>
${chart.rows.map((row, i) => html`<g class="row">${row.bars.map((bar) => shape(bar, i, axis))}</g>`)}
</svg>
</div>
</div>
<p id="said" class="said" aria-live="polite" data-script hidden></p>
</section>`
}

const note = ({ rowsLeftOut, barsLeftOut, hasMany }: Rows): Html | undefined => {
  const many = hasMany ? 'A row with more messages than can be told apart is darker where there are more of them. ' : ''
  const parts = [...(barsLeftOut > 0 ? [`${barsLeftOut} pieces of work`] : []), ...(rowsLeftOut > 0 ? [`${rowsLeftOut} rows`] : [])]
  const missing = parts.length === 0 ? '' : `Not drawn here: ${parts.join(' and ')}. Perfetto shows the whole trace.`
  return many + missing === '' ? undefined : html`<p class="left-out">${many}${missing}</p>`
}

// Where there is little room the style leaves out in what a process is nested.
const label = ({ label: text, isFirst, kind }: BarRow): Html => {
  const end = isFirst && kind !== 'stage' ? text.lastIndexOf('.') + 1 : 0
  const within = end > 0 ? html`<span class="within">${text.slice(0, end)}</span>` : undefined
  return html`<li class="${isFirst ? `first ${kind}` : 'beside'}" title="${text}">${within}${text.slice(end)}</li>`
}

const percent = (part: number, whole: number): string => `${Math.round((part / whole) * 1e8) / 1e6}%`

const tick = (at: number, { start, length }: Axis, height: number): Html => {
  const x = percent(at, length)
  const side = at / length > LATE ? html` text-anchor="end" dx="-3"` : html` dx="3"`
  return html`<line x1="${x}" x2="${x}" y1="18" y2="${height}"/><text x="${x}" y="13"${side}>${showMicroseconds(start + at)}</text>`
}

const shape = (bar: Bar, row: number, { start, length: whole }: Axis): Html => {
  const begin = Math.max(bar.start, start)
  const length = Math.max(0, Math.min(bar.end, start + whole) - begin)
  const [x, width] = [percent(begin - start, whole), percent(length, whole)]
  const y = AXIS + row * ROW + (ROW - BAR) / 2
  const title = `${bar.title} (${showMicroseconds(length)} from ${showMicroseconds(bar.start)})`
  // A rectangle without a width is not drawn; a line is as wide as its stroke.
  const least = length / whole < MIN_VISIBLE ? html`<line class="least" x1="${x}" x2="${x}" y1="${y}" y2="${y + BAR}"/>` : undefined
  const numbered =
    length / whole > MIN_NUMBERED && bar.label !== '' && bar.label.length <= MAX_NUMBERED
      ? html`<text x="${x}" y="${y + 12}" dx="4">${bar.label}</text>`
      : undefined
  const kind = `bar ${bar.kind}${bar.isBad ? ' bad' : ''}`
  const target = bar.anchor === undefined ? html` role="img"` : html` href="#${bar.anchor}"`
  return html`<a class="${kind}" tabindex="-1" data-seq="${bar.seq}" data-label="${bar.label}" aria-label="${title}"${target}><rect x="${x}" y="${y}" width="${width}" height="${BAR}" rx="2"/>${least}${numbered}</a>`
}
