// The parts of the page beside the inputs: wiring, agents and tools, prompts, errors.

import { counted, tokens } from './article.js'
import { type Html, html, trusted } from './html.js'
import { seqsOf } from './inputs.js'
import { fitting, MAX_ERROR_BYTES, MAX_PICTURE_BYTES, MAX_PROMPT_BYTES, shortError, shortName } from './page-limits.js'
import type { Prompt } from './record-texts.js'
import type { Note, RunModel } from './run-model.js'
import { showMicroseconds } from './show-time.js'
import { spentText } from './spent.js'
import { prose } from './value.js'
import { usageOf } from './verdict.js'
import { linkTo } from './verdict-card.js'

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
  const rows = children.map((lane) => {
    const { requests, read, written, cost } = usageOf(lane)
    const models = shortName([...new Set(lane.requests.map(({ model }) => model))].join(', '))
    const failed = lane.work.filter(({ error }) => error !== undefined).length
    const cells = [
      lane.runs,
      models,
      counted(lane.work.length, 'message'),
      String(failed || ''),
      String(requests || ''),
      tokens(read, written),
    ]
    const retries = lane.notes.filter(({ title }) => title === 'retry').length
    return html`<tr><th scope="row">${shortName(lane.name)}</th>${[...cells, spentText(cost) ?? '', String(retries || '')].map((cell) => html`<td>${cell}</td>`)}</tr>`
  })
  const heads = ['', 'is', 'model', 'took', 'failed', 'requests', 'tokens', 'cost', 'retries']
  return section('processes', 'Agents and tools', [table('Agents', heads, rows), ...toolTable(children)])
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
    ([name, { calls, failed, took }]) =>
      html`<tr><th scope="row">${shortName(name)}</th><td>${calls}</td><td>${failed === 0 ? '' : html`<b class="bad">${failed}</b>`}</td><td>${showMicroseconds(took / calls)}</td></tr>`,
  )
  return [table('Tools', ['tool', 'calls', 'failed', 'took on average'], rows)]
}

export const table = (name: string, heads: readonly string[], rows: readonly Html[]): Html =>
  html`<div class="table" tabindex="0" role="group" aria-label="${name}"><table><thead><tr>${heads.map((head) => (head === '' ? html`<td></td>` : html`<th scope="col">${head}</th>`))}</tr></thead><tbody>${rows}</tbody></table></div>`

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
    return html`<tr data-seq="${first}"><td data-of="at"><time>${showMicroseconds(at)}</time></td><td data-of="input">${first > 0 ? linkTo(first) : seq > 0 ? linkTo(seq) : ''}</td><td data-of="process">${shortName(process)}</td><td data-of="code"><b class="bad">${shortName(title)}</b></td><td class="wide">${shortError(detail)}</td></tr>`
  })
  const rows = fitting(all, MAX_ERROR_BYTES)
  const left = faults.length - rows.length
  return section('errors', 'Errors', [
    table('Errors', ['at', 'input', 'process', 'code', 'what'], rows),
    ...(left > 0 ? [html`<p class="left-out">${left} more are in events.jsonl of the record.</p>`] : []),
  ])
}
