// The whole page: one file that loads nothing and runs no script but its own.

import { createHash } from 'node:crypto'
import type { ListedCall } from '@plumb/ledger/approval'
import { type ArticleContext, article, counted } from './article.js'
import program from './browser/page.browser?text'
import { type Growing, growingPart } from './growing.js'
import { type Html, html, trusted } from './html.js'
import { type InputModel, inputsOf } from './inputs.js'
import { inputList, inputRow } from './list.js'
import { MAX_PAGE_BYTES } from './page-limits.js'
import { errors, processes, promptPart, wiring } from './parts.js'
import type { Pictures } from './pictures.js'
import type { Prompt, RunTexts } from './record-texts.js'
import type { RunModel } from './run-model.js'
import { showMicroseconds } from './show-time.js'
import { addCosts, NOTHING_SPENT, spentText } from './spent.js'
import pageStyle from './style.css'
import { timeline } from './timeline.js'
import { usageOf, verdict } from './verdict.js'
import { wiringStyle } from './wiring-style.js'

export interface PageParts {
  readonly run: RunModel
  /** The wiring as a picture; undefined where it cannot be drawn. */
  readonly svg: string | undefined
  readonly texts: RunTexts
  readonly pictures: Pictures
  readonly waiting: readonly ListedCall[]
  /** Answers that are being written now. */
  readonly growing: readonly Growing[]
  /** Of the record, as it was named; undefined: there is none, but a trace alone. */
  readonly directory: string | undefined
  /** The page is served: what is left out can be fetched. Otherwise all that fits is in it. */
  readonly isServed: boolean
}

export const runPage = (parts: PageParts): string => {
  const { run, svg, isServed } = parts
  const style = pageStyle + wiringStyle()
  const policy = [
    "default-src 'none'",
    `style-src '${sourceHash(style)}'`,
    `script-src '${sourceHash(program)}'`,
    'img-src data:',
    ...(isServed ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const inputs = inputsOf(run)
  const prompts = promptsOf(parts)
  const before = [verdict({ ...parts, inputs }), growingPart(parts.growing)].filter((part) => part !== undefined)
  const after = [timeline(run), wiring(svg), processes(run), promptPart(prompts, run), errors(run)].filter((part) => part !== undefined)
  const page = (list: Html) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${run.binding} of ${run.spec}</title>
<style>${trusted(style)}</style>
</head>
<body${isServed ? html` data-served="${run.status === undefined ? 'live' : 'ended'}"` : undefined}>
${header(parts, inputs)}
<main>${before}${list}${after}</main>
<script>${trusted(program)}</script>
</body>
</html>
`
  const taken = Buffer.byteLength(page(html``).text)
  return page(fittingList(inputs, MAX_PAGE_BYTES - taken, parts, prompts)).text
}

const sourceHash = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`

/** Rows of inputs that are not on the page themselves take at most this share of it. */
const MAX_ROWS_SHARE = 0.3
/** Of the list, its heads and notes. */
const LIST_BYTES = 4000
/** Inputs in a row that had no room: the page is full. */
const MAX_MISSES = 50
/** A page that is served fetches the others. */
const MAX_SERVED = 40

// Failed and waiting inputs come first, then the dearest and the slowest, which the page leads to, then all others in their order.
const fittingList = (inputs: readonly InputModel[], room: number, parts: PageParts, prompts: ReadonlyMap<number, Prompt>): Html => {
  const context = contextOf(parts, prompts)
  let left = room - LIST_BYTES
  let rowsLeft = left * MAX_ROWS_SHARE
  const rows: Html[] = []
  for (const input of inputs) {
    const row = inputRow(input)
    rowsLeft -= Buffer.byteLength(row.text)
    if (rowsLeft < 0) break
    left -= Buffer.byteLength(row.text)
    rows.push(row)
  }
  const shown = new Map<InputModel, Html>()
  let misses = 0
  for (const input of byWorth(inputs.slice(0, rows.length))) {
    if ((parts.isServed && shown.size >= MAX_SERVED) || misses >= MAX_MISSES) break
    const text = article(input, context)
    const bytes = Buffer.byteLength(text.text)
    if (bytes > left) misses++
    if (bytes > left) continue
    left -= bytes
    misses = 0
    shown.set(input, text)
  }
  const articles = inputs.flatMap((input) => shown.get(input) ?? [])
  return inputList({ rows, articles, total: inputs.length, note: parts.isServed ? undefined : leftOut(inputs, rows.length, shown, parts) })
}

export const contextOf = (parts: ContextParts, prompts = promptsOf(parts)): ArticleContext => ({
  texts: parts.texts,
  pictures: parts.pictures,
  hasPrompt: (lane) => prompts.has(lane),
})

type ContextParts = Pick<PageParts, 'run' | 'texts' | 'pictures'>

const byWorth = (inputs: readonly InputModel[]): readonly InputModel[] => {
  const named = inputs.filter(({ state }) => state !== 'done')
  const dearest = [...inputs].sort((a, b) => b.cost.known - a.cost.known).slice(0, 3)
  const slowest = [...inputs].sort((a, b) => b.took - a.took).slice(0, 3)
  return [...new Set([...dearest, ...slowest, ...named, ...inputs])]
}

const leftOut = (inputs: readonly InputModel[], rows: number, shown: ReadonlyMap<InputModel, Html>, parts: PageParts): Html | undefined => {
  const missing = inputs.filter((input) => !shown.has(input))
  const [first] = missing
  if (!first) return undefined
  const last = missing.at(-1)?.seq ?? first.seq
  const how =
    parts.directory === undefined ? 'plumb view --seq' : `plumb view --seq ${first.seq}-${Math.max(first.seq, last)} ${parts.directory}`
  const unlisted = rows < inputs.length ? `, ${inputs.length - rows} of them not in the list` : ''
  return html`<p class="left-out">This page holds ${shown.size} of ${counted(inputs.length, 'input')}${unlisted}: it has at most 5 MB. <code>plumb view --serve</code> shows all of them, <code>${how}</code> those that are missing.</p>`
}

const MAX_PROMPT = 200_000

const promptsOf = ({ run, texts }: ContextParts): ReadonlyMap<number, Prompt> => {
  const found = run.lanes.flatMap((lane, i): [number, Prompt][] => {
    const prompt = lane.runs === 'agent' ? texts.promptOf(lane) : undefined
    return prompt ? [[i, { ...prompt, system: prompt.system.slice(0, MAX_PROMPT) }]] : []
  })
  return new Map(found)
}

const header = (parts: PageParts, inputs: readonly InputModel[]): Html => {
  const { run, directory } = parts
  return html`<header>
<h1>${run.spec === '' ? 'a spec from the command line' : run.spec} <small>${run.binding}</small></h1>
<ul class="facts">${facts(run, inputs).map(([name, fact]) => html`<li><span>${name}</span> ${fact}</li>`)}</ul>
${run.isCut ? html`<p class="left-out">The trace is longer than what was read of it; the rest is not shown.</p>` : undefined}
${run.traceEnd === undefined ? undefined : traceEnded(run.traceEnd)}
${run.isSelection ? html`<p class="left-out">A part of the run: what <code>--seq</code> and <code>--from</code> name, and all numbers are of that part.</p>` : undefined}
${hasTexts(parts) ? undefined : html`<p class="left-out">${directory === undefined ? 'A trace has not what models said, and only the beginning of long texts; a record has, as' : 'This record has not what models said; one of this release has, as'} <code>plumb --record DIR</code> makes it.</p>`}
<nav aria-label="Parts of this page">${links(run).map(([id, name]) => html`<a href="#${id}">${name}</a>`)}
<label data-script hidden>find <input type="search" id="find" autocomplete="off" spellcheck="false"></label> <span class="steps" data-script hidden><button type="button" id="find-previous" title="Previous (Shift-Enter)">&lsaquo;</button><button type="button" id="find-next" title="Next (Enter)">&rsaquo;</button></span> <span id="found" role="status" data-script hidden></span></nav>
</header>`
}

const hasTexts = ({ run, texts }: PageParts): boolean => {
  const asked = run.lanes.flatMap((lane) => lane.requests.map((request) => ({ lane, request })))
  const agents = asked.filter(({ lane }) => lane.runs === 'agent')
  return agents.length === 0 || agents.slice(0, 20).some(({ lane, request }) => texts.answerOf(request, lane) !== undefined)
}

// A record keeps the beginning of its timeline.
const traceEnded = (at: number): Html =>
  html`<p class="left-out">The timeline of this record ends at ${showMicroseconds(at)}; the run went on. What came later is in the other files of the
record: messages in the file of their wire, such as <code>01-input-main.jsonl</code>, answers by the number of the input in <code>answers.jsonl</code>, all else in
<code>events.jsonl</code>. Numbers of messages are of the whole run; requests, calls, errors and costs until then. <code>plumb --trace FILE</code> keeps all of it.</p>`

const facts = (run: RunModel, inputs: readonly InputModel[]): [string, Html | string][] => {
  const { lanes, faults } = run
  const usage = lanes.map(usageOf)
  const ends = (kind: string) => new Set(run.nodes.filter((node) => node.kind === kind).map(({ name }) => name))
  const outputNames = ends('output')
  const sentTo = run.wires.filter(({ wire }) => outputNames.has(wire.to))
  const outputs = sentTo.reduce((all, { messages, total }) => all + (run.isSelection ? messages.length : total), 0)
  const calls = lanes.reduce((all, lane) => all + lane.calls.length, 0)
  const requests = usage.reduce((all, one) => all + one.requests, 0)
  const cost = spentText(usage.reduce((spent, one) => addCosts(spent, one.cost), NOTHING_SPENT))
  const numbered = inputs.filter(({ seq }) => seq > 0).length
  return [
    ['began', html`<time datetime="${run.time}">${run.time.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time>`],
    ['took', showMicroseconds(run.end - run.start)],
    ['ended', endOf(run)],
    ['inputs', String(numbered)],
    ['outputs', String(outputs)],
    ...(requests > 0 ? ([['requests to models', String(requests)]] as [string, string][]) : []),
    ...(cost === undefined ? [] : ([['cost', cost]] as [string, string][])),
    ...(calls > 0 ? ([['tool calls', String(calls)]] as [string, string][]) : []),
    ...(faults.length > 0 ? ([['errors', html`<a class="bad" href="#errors">${faults.length}</a>`]] as [string, Html][]) : []),
  ]
}

const endOf = ({ status, stoppedBy, faults }: RunModel): Html | string => {
  if (status === undefined) return html`<b class="bad">the trace ends before the run did</b>`
  const stopped = stoppedBy === undefined ? '' : `stopped by ${stoppedBy}, `
  const waits = faults.length > 0 && faults.every(({ title }) => title === 'parked')
  return status === 0
    ? `${stopped}status 0`
    : html`<b class="${waits ? 'waits' : 'bad'}">${waits ? 'parked, ' : stopped}status ${status}</b>`
}

const links = ({ lanes, faults }: RunModel): [string, string][] => [
  ['inputs', 'Inputs'],
  ['timeline', 'Timeline'],
  ['wiring', 'Wiring'],
  ...(lanes.some(({ runs }) => runs !== 'stage') ? ([['processes', 'Agents and tools']] as [string, string][]) : []),
  ...(faults.length > 0 ? ([['errors', 'Errors']] as [string, string][]) : []),
]
