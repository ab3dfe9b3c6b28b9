// The parts of the page beside the inputs: wiring, agents and tools, prompts, errors.

import { counted, tokens } from './article.js'
import { type Html, html, trusted } from './html.js'
import { hasFailed, isParked, isWaiting, processId, seqsOf, turnId } from './inputs.js'
import { fitting, MAX_ERROR_BYTES, MAX_PICTURE_BYTES, MAX_PROMPT_BYTES, shortError, shortName } from './page-limits.js'
import type { Prompt } from './record-texts.js'
import type { Note, RunModel } from './run-model.js'
import { showMicroseconds } from './show-time.js'
import { spentText } from './spent.js'
import { prose } from './value.js'
import { usageOf } from './verdict.js'
import { leading, linkTo } from './verdict-card.js'

export const section = (id: string, title: string, inside: Html | readonly Html[]): Html => html`
<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${inside}
</section>`

export const wiring = (svg: string | undefined): Html =>
  section(
    'wiring',
    'Wiring',
    svg === undefined
      ? html`<p class="left-out">The trace holds no picture that can be drawn.</p>`
      : svg.length > MAX_PICTURE_BYTES
        ? html`<p class="left-out">The picture is too large for this page; plumb render draws it.</p>`
        : picture(svg),
  )

// Without the XML declaration before it.
const picture = (svg: string): Html =>
  html`<div class="picture" tabindex="0" role="group" aria-label="The wiring as a picture">${trusted(svg.slice(Math.max(0, svg.indexOf('<svg'))))}</div>`

/** What each child did, and what each tool. */
export const processes = ({ lanes }: RunModel): Html | undefined => {
  const children = lanes.filter(({ runs }) => runs !== 'stage')
  if (children.length === 0) return undefined
  const rows = lanes.flatMap((lane, i): TableRow[] => {
    if (lane.runs === 'stage') return []
    const { requests, read, written, cost } = usageOf(lane)
    const models = shortName([...new Set(lane.requests.map(({ model }) => model))].join(', '))
    const failed = lane.work.filter(hasFailed).length
    const waiting = lane.work.filter(isParked).length
    const retries = lane.notes.filter(({ title }) => title === 'retry').length
    const name = lane.work.length > 0 ? leading({ to: turnId(i, 0) }, shortName(lane.name)) : shortName(lane.name)
    const cells = [lane.runs, models, String(lane.work.length), numberOfFailed(failed), orNothing(waiting), orNothing(requests)]
    return [{ id: processId(i), name, cells: [...cells, tokens(read, written), spentText(cost) ?? '', orNothing(retries)] }]
  })
  const heads = ['is', 'model', 'messages', 'failed', 'waiting', 'requests', 'tokens', 'cost', 'retries']
  return section('processes', 'Agents and tools', [factTable('Agents', heads, rows), ...toolTable(children)])
}

const orNothing = (n: number): string => (n === 0 ? '' : String(n))

const numberOfFailed = (n: number): Html | string => (n === 0 ? '' : html`<b class="bad">${n}</b>`)

interface TableRow {
  readonly id?: string
  readonly name: Html | string
  readonly cells: readonly (Html | string)[]
}

const cell = (value: Html | string, head: string): Html => (value === '' ? html`<td></td>` : html`<td data-of="${head}">${value}</td>`)

/** Columns in which no row says anything are left out. */
const factTable = (name: string, heads: readonly string[], rows: readonly TableRow[], id?: string): Html => {
  const isSaid = heads.map((_, i) => rows.some(({ cells }) => cells[i] !== ''))
  const said = <T>(items: readonly T[]): T[] => items.filter((_, i) => isSaid[i])
  const shown = rows.map(
    (row) =>
      html`<tr${row.id === undefined ? undefined : html` id="${row.id}"`}><th scope="row">${row.name}</th>${said(row.cells.map((value, i) => cell(value, heads[i] ?? '')))}</tr>`,
  )
  return table(name, ['', ...said(heads)], shown, id)
}

const toolTable = (children: RunModel['lanes']): Html[] => {
  const tools = new Map<string, { calls: number; failed: number; took: number }>()
  for (const { calls } of children) {
    for (const { tool, isOk, isWaiting, start, end } of calls) {
      const of = tools.get(tool) ?? { calls: 0, failed: 0, took: 0 }
      tools.set(tool, { calls: of.calls + 1, failed: of.failed + (isOk || isWaiting ? 0 : 1), took: of.took + end - start })
    }
  }
  if (tools.size === 0) return []
  const rows = [...tools].map(
    ([name, { calls, failed, took }]): TableRow => ({
      name: shortName(name),
      cells: [String(calls), numberOfFailed(failed), showMicroseconds(took / calls)],
    }),
  )
  return [factTable('Tools', ['calls', 'failed', 'took on average'], rows, 'tools')]
}

export const table = (name: string, heads: readonly string[], rows: readonly Html[], id?: string): Html =>
  html`<div class="table cards"${id === undefined ? undefined : html` id="${id}"`} tabindex="0" role="group" aria-label="${name}"><table><thead><tr>${heads.map((head) => (head === '' ? html`<td></td>` : html`<th scope="col">${head}</th>`))}</tr></thead><tbody>${rows}</tbody></table></div>`

/** `prompts` by the index of the lane. */
export const promptPart = (prompts: ReadonlyMap<number, Prompt>, { lanes }: RunModel): Html | undefined => {
  if (prompts.size === 0) return undefined
  const each = [...prompts].map(
    ([
      i,
      { system, tools },
    ]) => html`<details class="prompt" id="p${i}"><summary><b>${shortName(lanes[i]?.name ?? '')}</b> <span class="count">${counted(system.length, 'character')}${tools.length === 0 ? '' : `, ${counted(tools.length, 'tool')}`}</span></summary>
${system === '' ? html`<p class="none">nothing is said before the message</p>` : prose(system)}${tools.length === 0 ? undefined : html`<ul>${tools.map(({ name, description }) => html`<li><b>${name}</b> ${description}</li>`)}</ul>`}</details>`,
  )
  const shown = fitting(each, MAX_PROMPT_BYTES)
  const left = each.length - shown.length
  return section(
    'prompts',
    'Prompts',
    left > 0 ? [...shown, html`<p class="left-out">${left} more are in events.jsonl of the record.</p>`] : shown,
  )
}

const MAX_ERRORS = 1000

export const errors = ({ faults }: RunModel): Html | undefined => {
  if (faults.length === 0) return undefined
  const all = faults.slice(0, MAX_ERRORS).map((fault: Note): Html => {
    const { at, process, title, detail, seq } = fault
    const [first = 0] = seqsOf(fault)
    const input = first > 0 ? linkTo(first) : seq > 0 ? linkTo(seq) : ''
    const cells = [
      cell(html`<time>${showMicroseconds(at)}</time>`, 'at'),
      cell(input, 'input'),
      cell(shortName(process), 'process'),
      cell(html`<b class="${isWaiting(fault) ? 'waits' : 'bad'}">${shortName(title)}</b>`, 'code'),
    ]
    return html`<tr data-seq="${first}">${cells}<td class="wide">${shortError(detail)}</td></tr>`
  })
  const rows = fitting(all, MAX_ERROR_BYTES)
  const left = faults.length - rows.length
  const name = faults.every(isWaiting) ? 'What waits' : 'Errors'
  return section('errors', name, [
    table(name, ['at', 'input', 'process', 'code', 'what'], rows),
    ...(left > 0 ? [html`<p class="left-out">${left} more are in events.jsonl of the record.</p>`] : []),
  ])
}
