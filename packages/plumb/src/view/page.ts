// The page of a run.

import type { ListedCall } from '@plumb/ledger/approval'
import { type ArticleContext, article, counted } from './article.js'
import { framed, searchField } from './frame.js'
import { type Growing, growingPart } from './growing.js'
import { type Html, html } from './html.js'
import { type InputModel, inputsOf, isWaiting } from './inputs.js'
import { inputList, inputRow, lackingIn } from './list.js'
import { fitOnPage, type Listed } from './page-room.js'
import { errors, processes, promptPart, wiring } from './parts.js'
import type { Pictures } from './pictures.js'
import type { Prompt, RunTexts } from './record-texts.js'
import type { RunModel } from './run-model.js'
import { showMicroseconds } from './show-time.js'
import { addCosts, NOTHING_SPENT, spentText } from './spent.js'
import { timeline } from './timeline.js'
import { usageOf, verdict } from './verdict.js'
import { leading } from './verdict-card.js'

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
  const inputs = inputsOf(run)
  const prompts = promptsOf(parts)
  const before = [verdict({ ...parts, inputs }), growingPart(parts.growing)].filter((part) => part !== undefined)
  const after = [timeline(run), wiring(svg), processes(run), promptPart(prompts, run), errors(run)].filter((part) => part !== undefined)
  return framed({
    title: `${run.binding} of ${run.spec}`,
    header: header(parts, inputs),
    before,
    after,
    list: (room) => listOf(inputs, room, parts, prompts),
    served: isServed ? (run.status === undefined ? 'live' : 'ended') : undefined,
  })
}

/** Each with what it leads to. */
export const listedInputs = (
  inputs: readonly InputModel[],
  parts: ContextParts,
  prompts: ReadonlyMap<number, Prompt> = promptsOf(parts),
): readonly Listed[] => {
  const context = contextOf(parts, prompts)
  const lacks = lackingIn(inputs)
  return inputs.map((input) => ({
    seq: input.seq,
    row: () => inputRow(input, lacks, parts.run.isGoingOn),
    article: () => article(input, context),
  }))
}

// Failed and waiting inputs come first, with the dearest and the slowest, to which the page leads, then all others in their order.
const listOf = (inputs: readonly InputModel[], room: number, parts: PageParts, prompts: ReadonlyMap<number, Prompt>): Html => {
  const listed = listedInputs(inputs, parts, prompts)
  const places = new Map(inputs.map((input, i) => [input, listed[i] as Listed]))
  const worth = byWorth(inputs).map((input) => places.get(input) as Listed)
  const { rows, articles, missing } = fitOnPage(listed, worth, { room, isServed: parts.isServed })
  const note = parts.isServed ? undefined : leftOut({ total: inputs.length, rows: rows.length, missing }, parts.directory)
  return inputList({ rows, articles, total: inputs.length, note, lacks: lackingIn(inputs) })
}

export const contextOf = (parts: ContextParts, prompts: ReadonlyMap<number, Prompt>, prefix = ''): ArticleContext => ({
  prefix,
  texts: parts.texts,
  pictures: parts.pictures,
  hasPrompt: (lane) => prompts.has(lane),
})

export type ContextParts = Pick<PageParts, 'run' | 'texts' | 'pictures'>

const byWorth = (inputs: readonly InputModel[]): readonly InputModel[] => {
  const named = inputs.filter(({ state }) => state !== 'done')
  const dearest = [...inputs].sort((a, b) => b.cost.known - a.cost.known).slice(0, 3)
  const slowest = [...inputs].sort((a, b) => b.took - a.took).slice(0, 3)
  return [...new Set([...dearest, ...slowest, ...named, ...inputs])]
}

interface LeftOut {
  readonly total: number
  readonly rows: number
  readonly missing: readonly Listed[]
}

const leftOut = ({ total, rows, missing }: LeftOut, directory: string | undefined): Html | undefined => {
  const [first] = missing
  if (!first) return undefined
  const last = missing.at(-1)?.seq ?? first.seq
  const how = directory === undefined ? 'plumb view --seq' : `plumb view --seq ${first.seq}-${Math.max(first.seq, last)} ${directory}`
  const unlisted = rows < total ? `, ${total - rows} of them not in the list` : ''
  return html`<p class="left-out">This page holds ${total - missing.length} of ${counted(total, 'input')}${unlisted}: it has at most 5 MB. <code>plumb view --serve</code> shows all of them, <code>${how}</code> those that are missing.</p>`
}

const MAX_PROMPT = 200_000

export const promptsOf = ({ run, texts }: ContextParts): ReadonlyMap<number, Prompt> => {
  const found = run.lanes.flatMap((lane, i): [number, Prompt][] => {
    const prompt = lane.runs === 'agent' ? texts.promptOf(lane) : undefined
    // An agent that is told nothing has none.
    return prompt && prompt.system.length + prompt.tools.length > 0 ? [[i, { ...prompt, system: prompt.system.slice(0, MAX_PROMPT) }]] : []
  })
  return new Map(found)
}

const header = (parts: PageParts, inputs: readonly InputModel[]): Html => {
  const { run, directory } = parts
  return html`<header>
<h1>${run.spec === '' ? 'a spec from the command line' : run.spec} <small>${run.binding}</small></h1>
<ul class="facts">${facts(run, inputs).map(({ name, value, to }) => html`<li><span>${name}</span> ${to === undefined ? value : leading({ to }, value)}</li>`)}</ul>
${run.isCut ? html`<p class="left-out">The trace is longer than what was read of it; the rest is not shown.</p>` : undefined}
${run.traceEnd === undefined ? undefined : traceEnded(run.traceEnd)}
${run.isSelection ? html`<p class="left-out">A part of the run: what <code>--seq</code> and <code>--from</code> name, and all numbers are of that part.</p>` : undefined}
${hasTexts(parts) ? undefined : html`<p class="left-out">${directory === undefined ? 'A trace has not what models said, and only the beginning of long texts; a record has, as' : 'This record has not what models said; one of this release has, as'} <code>plumb --record DIR</code> makes it.</p>`}
<nav aria-label="Parts of this page">${links(run).map(([id, name]) => html`<a href="#${id}">${name}</a>`)}
${searchField}</nav>
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

/** Of the header; `to`: the place of the page that says more. */
export interface Fact {
  readonly name: string
  readonly value: Html | string
  readonly to?: string
}

export const facts = (run: RunModel, inputs: readonly InputModel[]): readonly Fact[] => {
  const { lanes, faults } = run
  const usage = lanes.map(usageOf)
  const ends = (kind: string) => new Set(run.nodes.filter((node) => node.kind === kind).map(({ name }) => name))
  const outputNames = ends('output')
  const sentTo = run.wires.filter(({ wire }) => outputNames.has(wire.to))
  const outputs = sentTo.reduce((all, { messages, total }) => all + (run.isSelection ? messages.length : total), 0)
  const calls = lanes.reduce((all, lane) => all + lane.calls.length, 0)
  const requests = usage.reduce((all, one) => all + one.requests, 0)
  const cost = spentText(usage.reduce((spent, one) => addCosts(spent, one.cost), NOTHING_SPENT))
  const failed = faults.filter((fault) => !isWaiting(fault)).length
  const numbered = inputs.filter(({ seq }) => seq > 0).length
  return [
    { name: 'began', value: html`<time datetime="${run.time}">${run.time.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time>` },
    { name: 'took', value: showMicroseconds(run.end - run.start), to: 'timeline' },
    { name: 'ended', value: endOf(run) },
    { name: 'inputs', value: String(numbered), to: 'inputs' },
    { name: 'outputs', value: String(outputs) },
    ...(requests > 0 ? [{ name: 'requests to models', value: String(requests), to: 'processes' }] : []),
    ...(cost === undefined ? [] : [{ name: 'cost', value: cost, to: 'processes' }]),
    ...(calls > 0 ? [{ name: 'tool calls', value: String(calls), to: 'tools' }] : []),
    ...(failed > 0 ? [{ name: 'errors', value: html`<b class="bad">${failed}</b>`, to: 'errors' }] : []),
  ]
}

const endOf = ({ status, stoppedBy, isGoingOn, faults }: RunModel): Html | string => {
  if (status === undefined && isGoingOn) return html`<b class="waits">not yet: it goes on</b>`
  if (status === undefined) return html`<b class="bad">the trace ends before the run did</b>`
  const stopped = stoppedBy === undefined ? '' : `stopped by ${stoppedBy}, `
  const waits = faults.length > 0 && faults.every(isWaiting)
  return status === 0
    ? `${stopped}status 0`
    : html`<b class="${waits ? 'waits' : 'bad'}">${waits ? 'parked, ' : stopped}status ${status}</b>`
}

const links = ({ lanes, faults }: RunModel): [string, string][] => [
  ['inputs', 'Inputs'],
  ['timeline', 'Timeline'],
  ['wiring', 'Wiring'],
  ...(lanes.some(({ runs }) => runs !== 'stage') ? ([['processes', 'Agents and tools']] as [string, string][]) : []),
  ...(faults.length > 0 ? ([['errors', faults.every(isWaiting) ? 'What waits' : 'Errors']] as [string, string][]) : []),
]
