// The whole page: one file that loads nothing and runs no script but its own.

import { createHash } from 'node:crypto'
import program from './browser/page.browser?text'
import { type Html, html, trusted } from './html.js'
import { conversations, errors, messages, toolCalls, wiring } from './parts.js'
import type { RunModel } from './run-model.js'
import { showMicroseconds } from './show-time.js'
import { addCosts, NOTHING_SPENT, spentText } from './spent.js'
import style from './style.css'
import { timeline } from './timeline.js'

/** `svg` is the wiring as a picture; undefined where it cannot be drawn. */
export const runPage = (run: RunModel, svg: string | undefined): string => {
  const policy = [
    "default-src 'none'",
    `style-src '${sourceHash(style)}'`,
    `script-src '${sourceHash(program)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const parts = [timeline(run), errors(run), wiring(svg), messages(run), conversations(run), toolCalls(run)].filter(
    (part) => part !== undefined,
  )
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${run.binding} of ${run.spec}</title>
<style>${trusted(style)}</style>
</head>
<body>
${header(run)}
<main>${parts}</main>
<script>${trusted(program)}</script>
</body>
</html>
`.text
}

const sourceHash = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`

const header = (run: RunModel): Html => html`<header>
<h1>${run.spec === '' ? 'a spec from the command line' : run.spec} <small>${run.binding}</small></h1>
<ul class="facts">${facts(run).map(([name, fact]) => html`<li><span>${name}</span> ${fact}</li>`)}</ul>
${run.isCut ? html`<p class="left-out">The trace is longer than what was read of it; the rest is not shown.</p>` : undefined}
${run.traceEnd === undefined ? undefined : traceEnded(run.traceEnd)}
${run.isSelection ? html`<p class="left-out">A part of the run: what <code>--seq</code> and <code>--from</code> name. Numbers are of the whole.</p>` : undefined}
<nav aria-label="Parts of this page">${links(run).map(([id, name]) => html`<a href="#${id}">${name}</a>`)}
<label data-script hidden>find <input type="search" id="find" autocomplete="off" spellcheck="false"></label> <span id="found" role="status" data-script hidden></span></nav>
</header>`

// A record keeps the beginning of its timeline.
const traceEnded = (at: number): Html =>
  html`<p class="left-out">The timeline of this record ends at ${showMicroseconds(at)}; the run went on. What came later is in the other files of the
record: messages in the file of their wire, such as <code>01-input-main.jsonl</code>, answers by the number of the input in <code>answers.jsonl</code>, all else in
<code>events.jsonl</code>. Numbers of messages are of the whole run; requests, calls, errors and costs until then. <code>plumb --trace FILE</code> keeps all of it.</p>`

const facts = (run: RunModel): [string, Html | string][] => {
  const { lanes, faults } = run
  const sum = (count: (lane: RunModel['lanes'][number]) => number) => lanes.reduce((all, lane) => all + count(lane), 0)
  const ends = (kind: string) => new Set(run.nodes.filter((node) => node.kind === kind).map(({ name }) => name))
  const carried = (isCounted: (wire: RunModel['wires'][number]['wire']) => boolean) =>
    String(run.wires.filter(({ wire }) => isCounted(wire)).reduce((all, { messages: sent }) => all + sent.total, 0))
  const [outputs, calls, requests] = [ends('output'), sum(({ calls: made }) => made.total), sum(({ requests: made }) => made.total)]
  const cost = spentText(lanes.reduce((spent, lane) => addCosts(spent, lane.spent), NOTHING_SPENT))
  return [
    ['began', html`<time datetime="${run.time}">${run.time.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time>`],
    ['took', showMicroseconds(run.end)],
    ['ended', endOf(run)],
    ['outputs', carried(({ to }) => outputs.has(to))],
    ...(requests > 0 ? ([['requests to models', String(requests)]] as [string, string][]) : []),
    ...(cost === undefined ? [] : ([['cost', cost]] as [string, string][])),
    ...(calls > 0 ? ([['tool calls', String(calls)]] as [string, string][]) : []),
    ...(faults.total > 0 ? ([['errors', html`<b class="bad">${faults.total}</b>`]] as [string, Html][]) : []),
  ]
}

const endOf = ({ status, stoppedBy }: RunModel): Html | string => {
  if (status === undefined) return html`<b class="bad">the trace ends before the run did</b>`
  const stopped = stoppedBy === undefined ? '' : `stopped by ${stoppedBy}, `
  return status === 0 ? `${stopped}status 0` : html`<b class="bad">${stopped}status ${status}</b>`
}

const links = ({ lanes, faults }: RunModel): [string, string][] => [
  ['timeline', 'Timeline'],
  ...(faults.total > 0 ? ([['errors', 'Errors']] as [string, string][]) : []),
  ['wiring', 'Wiring'],
  ['messages', 'Messages'],
  ...(lanes.some(({ runs }) => runs !== 'stage') ? ([['conversations', 'Conversations']] as [string, string][]) : []),
  ...(lanes.some(({ calls }) => calls.total > 0) ? ([['tools', 'Tool calls']] as [string, string][]) : []),
]
