// --html: a comparison as one page, which needs no server and no script: a table and a chart of each test, then its rows, what changed first.

import { escapeControls, preview } from '@plumb/wire'
import type { ComparedTest, ComparedVariant } from '../report/compared.js'
import { headOf, notesOf, rowOf } from '../report/comparison.js'
import { percent } from '../report/words.js'
import { mean } from '../scored.js'
import { differingIn, firstWire, type Step } from './first-wire.js'
import { isUnpaid, type Measured, type MeasuredRow, type MeasuredTest, meanOf } from './measure.js'
import { PAGE_STYLE } from './page-style.js'

export interface ShownTest {
  readonly compared: ComparedTest
  readonly measured: MeasuredTest
}

/** Of one test, what changed first; the others are counted. */
const MAX_ROWS = 400
/** Of one value, in characters. */
const MAX_VALUE = 4000
const MAX_STEPS = 40

export const comparisonPage = (tests: readonly ShownTest[]): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Better or worse</title><style>${PAGE_STYLE}</style></head><body><main><h1>Better or worse</h1>
${tests.map(sectionOf).join('\n')}
</main></body></html>
`

const escaped = (text: string): string => escapeControls(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

const sectionOf = ({ compared, measured }: ShownTest, index: number): string => {
  const changes = measured.measured.length > 1 ? changesIn(measured) : []
  const head = headOf(compared)
  const cells = (tag: 'th' | 'td', row: readonly string[]) => row.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')
  return `<section><h2>${escaped(compared.title)}</h2>
<div class="wide" tabindex="0" role="region" aria-label="Numbers"><table><thead><tr>${cells('th', head)}</tr></thead>
<tbody>${compared.variants.map((one) => `<tr>${cells('td', rowOf(one))}</tr>`).join('')}</tbody></table></div>
${chartOf(compared.variants)}
<ul>${compared.variants
    .flatMap((one) => notesOf(compared, one))
    .map((note) => `<li>${escaped(note)}</li>`)
    .join('')}</ul>
${rowsOf(changes, measured, index)}</section>`
}

/** Shares with their intervals, a line each. */
const chartOf = (variants: readonly ComparedVariant[]): string => {
  const lines = variants.map(({ variant, share, mean, low, high }) => {
    const middle = share ?? mean ?? 0
    const label = `${variant}: ${percent(middle)}, 95 % interval ${percent(low)} to ${percent(high)}`
    const x = (at: number): string => (2 + 96 * at).toFixed(2)
    return `<div class="bar"><span>${escaped(variant)}</span><svg viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="${escaped(label)}"><line x1="2" x2="98" y1="4" y2="4" class="axis"/><line x1="${x(low)}" x2="${x(high)}" y1="4" y2="4" class="interval"/><line x1="${x(middle)}" x2="${x(middle)}" y1="0" y2="8" class="middle"/></svg></div>`
  })
  return `<div class="chart">${lines.join('')}<div class="bar"><span></span><span class="ends"><span>0 %</span><span>100 %</span></span></div></div>`
}

type Kind = 'worse' | 'better' | 'other' | 'same'

interface Change {
  readonly row: number
  readonly kind: Kind
  readonly hasError: boolean
}

const ORDER: readonly Kind[] = ['worse', 'better', 'other', 'same']

/** Against the baseline, of all variants the one that changed most. */
const changesIn = ({ measured: [baseline, ...others] }: MeasuredTest): readonly Change[] => {
  const changes = [...(baseline?.rows ?? new Map<number, MeasuredRow>())].map(([row, before]): Change => {
    const now = others.flatMap(({ rows }) => rows.get(row) ?? [])
    const kinds = now.map((one) => kindOf(before, one))
    const hasError = [before, ...now].some(({ runs }) => runs.some(({ error }) => error !== undefined))
    return { row, kind: ORDER.find((kind) => kinds.includes(kind)) ?? 'same', hasError }
  })
  return changes.sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || a.row - b.row)
}

const kindOf = (before: MeasuredRow, now: MeasuredRow): Kind => {
  if (isUnpaid(before.runs, now.runs)) return 'same'
  const beside = now.runs.flatMap(({ against }) => against ?? [])
  const difference = meanOf(now.runs) - (beside.length > 0 ? mean(beside) : meanOf(before.runs))
  if (Math.abs(difference) > 1e-12) return difference < 0 ? 'worse' : 'better'
  const isSame = now.runs.every(({ outputs }, i) => JSON.stringify(outputs) === JSON.stringify(before.runs[i]?.outputs))
  return isSame ? 'same' : 'other'
}

const FILTERS = ['all', 'worse', 'better', 'other', 'errors'] as const

const rowsOf = (changes: readonly Change[], { measured, inputs }: MeasuredTest, index: number): string => {
  if (changes.length === 0) return ''
  const count = (filter: (typeof FILTERS)[number]): number =>
    changes.filter(({ kind, hasError }) => filter === 'all' || (filter === 'errors' ? hasError : kind === filter)).length
  const radios = FILTERS.map((filter, i) => {
    const id = `f${index}-${filter}`
    const name = filter === 'other' ? 'other output' : filter
    return `<input type="radio" name="f${index}" id="${id}" class="f-${filter}"${i === 0 ? ' checked' : ''}><label for="${id}">${name} (${count(filter)})</label>`
  })
  const shown = changes.slice(0, MAX_ROWS)
  const left = changes.length - shown.length
  const rest = left > 0 ? `<p>${left} more rows are not shown: --rows writes all.</p>` : ''
  return `<h3>Rows</h3><div class="rows">${radios.join('')}${shown.map((change) => rowHtml(change, measured, inputs)).join('\n')}</div>${rest}`
}

const rowHtml = ({ row, kind, hasError }: Change, measured: readonly Measured[], inputs: readonly string[]): string => {
  const [baseline] = measured
  const before = baseline?.rows.get(row)
  const sides = measured.map((one) => sideOf(one, one === baseline ? undefined : before, one.rows.get(row)))
  return `<details class="row ${kind}${hasError ? ' errors' : ''}"><summary><b>${row + 1}</b> <i>${kind === 'other' ? 'other output' : kind}</i> ${escaped(preview(inputs[row] ?? '', 120))}</summary>
<p class="value">${escaped(preview(inputs[row] ?? '', MAX_VALUE))}</p><div class="sides">${sides.join('')}</div></details>`
}

const sideOf = ({ variant }: Measured, before: MeasuredRow | undefined, row: MeasuredRow | undefined): string => {
  const runs = row?.runs ?? []
  const shown = runs.map(({ outputs, error, gave, score, expected }, i) => {
    const text = preview(error === undefined ? outputs.join('\n') : `${error}: ${gave ?? ''}`, MAX_VALUE)
    const reference = before && preview((before.runs[i]?.outputs ?? []).join('\n'), MAX_VALUE)
    const wanted = expected === undefined ? '' : `<p class="wanted">expected ${escaped(preview(expected.join(', '), MAX_VALUE))}</p>`
    const steps = row?.steps[i] ?? []
    const wire = before && firstWire(before.steps[i] ?? [], steps)
    return `<p class="score">${runs.length > 1 ? `run ${i + 1}, ` : ''}score ${Math.round(score * 1e4) / 1e4}</p><p class="value">${reference === undefined ? escaped(text) : marked(reference, text)}</p>${wanted}${routeOf(steps, wire)}`
  })
  return `<div><h4>${escaped(variant.name)}</h4>${shown.join('') || '<p>was not asked</p>'}</div>`
}

const routeOf = (steps: readonly Step[], wire: string | undefined): string => {
  if (steps.length === 0) return ''
  const items = steps
    .slice(0, MAX_STEPS)
    .map(
      ({ wire: name, messages }) =>
        `<dt${name === wire ? ' class="parts"' : ''}>${escaped(name)}</dt><dd>${escaped(preview(messages.join(', '), 600))}</dd>`,
    )
  return `<details><summary>its way${wire === undefined ? '' : `, another from <code>${escaped(wire)}</code> on`}</summary><dl>${items.join('')}</dl></details>`
}

const marked = (other: string, text: string): string => {
  const { head, middle, tail } = differingIn(text, other)
  return escaped(head) + (middle === '' ? '' : `<mark>${escaped(middle)}</mark>`) + escaped(tail)
}
