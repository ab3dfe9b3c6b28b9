// The parts of the page below the timeline: wiring, messages on each wire, conversations, tool calls, errors.

import { type Html, html, trusted } from './html.js'
import { MAX_PICTURE_BYTES } from './page-limits.js'
import type { CallModel, CountedItems, Lane, Note, RunMessage, RunModel, TurnModel, WireModel } from './run-model.js'
import { showMicroseconds } from './show-time.js'
import { spentText } from './spent.js'

export const wiring = (svg: string | undefined): Html => html`
<section id="wiring" aria-labelledby="wiring-title">
<h2 id="wiring-title">Wiring</h2>
${svg === undefined ? html`<p class="left-out">The trace holds no picture that can be drawn.</p>` : svg.length > MAX_PICTURE_BYTES ? html`<p class="left-out">The picture is too large for this page; plumb render draws it.</p>` : picture(svg)}
</section>`

// Without the XML declaration before it.
const picture = (svg: string): Html =>
  html`<div class="picture" tabindex="0" role="group" aria-label="The wiring as a picture">${trusted(svg.slice(Math.max(0, svg.indexOf('<svg'))))}</div>`

export const messages = ({ wires }: RunModel): Html => html`
<section id="messages" aria-labelledby="messages-title">
<h2 id="messages-title">Messages on each wire</h2>
${wires.length === 0 ? html`<p class="none">There is no wire.</p>` : wires.map(wirePart)}
</section>`

const wirePart = ({ wire, id, messages: sent }: WireModel): Html => {
  const port = (name: string) => (/^(input|output)$/.test(name) ? '' : `@${name}`)
  const ends = `${wire.from}${port(wire.fromPort)} → ${wire.to}${port(wire.toPort)}`
  return html`<details class="wire"><summary><b>${ends}</b> <code>${wire.type ?? ''}</code> <span class="count">${counted(sent, 'message')}</span></summary>
<ol class="messages">${sent.shown.map((message, i) => messageItem(message, `${id}-${i}`))}</ol>${more(sent)}</details>`
}

const messageItem = ({ at, seq, text }: RunMessage, anchor: string): Html =>
  html`<li id="${anchor}" data-seq="${seq}"><span class="meta">${seqText(seq)} <time>${showMicroseconds(at)}</time></span>${value(text)}</li>`

export const conversations = ({ lanes }: RunModel): Html | undefined => {
  const talks = lanes.flatMap((lane, i) => (lane.runs === 'stage' ? [] : [conversation(lane, i)]))
  if (talks.length === 0) return undefined
  return html`
<section id="conversations" aria-labelledby="conversations-title">
<h2 id="conversations-title">Conversations</h2>
${talks}
</section>`
}

/** A conversation with more messages is folded at first. */
const MAX_UNFOLDED = 12

const conversation = (lane: Lane, index: number): Html => {
  const { name, runs, work, requests } = lane
  const tokens = requests.shown.reduce((sum, { read, written }) => ({ read: sum.read + read, written: sum.written + written }), {
    read: 0,
    written: 0,
  })
  const cost = spentText(lane.spent)
  const models = [...new Set(requests.shown.map(({ model }) => model))].join(', ')
  const used =
    models === ''
      ? ''
      : `, ${models}, ${tokens.read} tokens read, ${tokens.written} written${requests.total > requests.shown.length ? ' and more' : ''}${cost === undefined ? '' : `, ${cost}`}`
  return html`<details class="talk ${runs}"${work.total > MAX_UNFOLDED ? undefined : html` open`}><summary><b>${name}</b> <span class="count">${runs}, ${counted(work, 'message')}${used}</span></summary>
<ol class="turns">${work.shown.map((turn, i) => turnItem(turn, lane, `w${index}-${i}`))}</ol>${more(work)}</details>`
}

const turnItem = (turn: TurnModel, lane: Lane, anchor: string): Html => {
  const made = lane.calls.shown.filter((call) => turnOf(lane, call.seq, call.end) === turn)
  const notes = lane.notes.shown.filter((note) => turnOf(lane, note.seq, note.at) === turn)
  const waited = turn.waited >= 1 ? html`, after a wait of ${showMicroseconds(turn.waited * 1000)}` : undefined
  const held = turn.held >= 1 ? html`, then held for ${showMicroseconds(turn.held * 1000)} behind those before it` : undefined
  const took = turn.isBegun
    ? html`<time>${showMicroseconds(turn.start)}</time>, took ${showMicroseconds(turn.end - turn.start)}`
    : 'not begun'
  return html`<li id="${anchor}" data-seq="${turn.seq}"><span class="meta">${seqText(turn.seq)} ${took}${waited}${held}</span>
${turn.input === undefined ? undefined : html`<div class="said-by in"><span class="who">in</span>${value(turn.input)}</div>`}
${made.map((call) => html`<div class="said-by tool"><span class="who">${call.tool}</span><code>${call.input}</code> &rarr; ${call.isOk ? undefined : html`<b class="bad">failed</b> `}<code>${call.result ?? ''}</code></div>`)}
${notes.map(({ title, detail }) => html`<div class="said-by note"><span class="who">${title}</span>${detail}</div>`)}
${answer(turn, lane.runs)}</li>`
}

// The unfinished turn with the same input, since an input may come round several times; telemetry may come late.
const turnOf = ({ work }: Lane, seq: number, at: number): TurnModel | undefined =>
  work.shown.find((turn) => (seq === 0 || turn.seq === seq) && turn.end >= at) ?? work.shown.findLast((turn) => seq > 0 && turn.seq === seq)

const answer = ({ output, error }: TurnModel, runs: string): Html => {
  if (error !== undefined) return html`<div class="said-by bad"><span class="who">error</span>${error}</div>`
  if (output === undefined) return html`<div class="said-by none"><span class="who">none</span>no answer before the run ended</div>`
  return html`<div class="said-by out ${runs}"><span class="who">out</span>${value(output)}</div>`
}

export const toolCalls = ({ lanes }: RunModel): Html | undefined => {
  const rows = lanes.flatMap((lane, i) => lane.calls.shown.map((call, j) => callRow(call, lane.name, `t${i}-${j}`)))
  const total = lanes.reduce((sum, { calls }) => sum + calls.total, 0)
  const next = lanes.flatMap(({ calls }) => calls.next ?? []).sort((a, b) => a - b)[0]
  if (total === 0) return undefined
  return html`
<section id="tools" aria-labelledby="tools-title">
<h2 id="tools-title">Tool calls</h2>
<div class="table" tabindex="0" role="group" aria-label="Tool calls"><table><thead><tr><th>at</th><th>agent</th><th>tool</th><th>took</th><th>outcome</th><th>input, result and stages</th></tr></thead>
<tbody>${rows}</tbody></table></div>${more({ shown: rows, total, next })}
</section>`
}

const callRow = (call: CallModel, process: string, anchor: string): Html => {
  const { tool, agent, isOk, input, result, stages, attempts, isCached, depth, start, end, seq } = call
  const how = [
    ...(isCached ? ['from cache'] : []),
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...(depth > 0 ? ['inside a call'] : []),
  ]
  const outcome = isOk ? html`ok` : html`<b class="bad">failed</b>`
  return html`<tr id="${anchor}" data-seq="${seq}"><td data-of="at"><time>${showMicroseconds(start)}</time></td><td data-of="agent">${agent === '' ? process : agent}</td><td data-of="tool"><b>${tool}</b></td><td data-of="took">${showMicroseconds(end - start)}</td><td data-of="outcome">${outcome}${how.length > 0 ? `, ${how.join(', ')}` : ''}</td>
<td><details><summary><code>${input.length > 80 ? `${input.slice(0, 80)}…` : input}</code></summary>${value(input)}${result === undefined ? undefined : value(result)}${
    stages.length === 0 ? undefined : html`<ol class="stages">${stages.map((stage) => html`<li>${stage}</li>`)}</ol>`
  }</details></td></tr>`
}

export const errors = ({ faults }: RunModel): Html | undefined => {
  if (faults.total === 0) return undefined
  const row = ({ at, process, title, detail, seq }: Note): Html =>
    html`<tr data-seq="${seq}"><td data-of="at"><time>${showMicroseconds(at)}</time></td><td data-of="input">${seqText(seq)}</td><td data-of="process">${process}</td><td data-of="code"><b class="bad">${title}</b></td><td>${detail}</td></tr>`
  return html`
<section id="errors" aria-labelledby="errors-title">
<h2 id="errors-title">Errors</h2>
<div class="table" tabindex="0" role="group" aria-label="Errors"><table><thead><tr><th>at</th><th>input</th><th>process</th><th>code</th><th>what</th></tr></thead><tbody>${faults.shown.map(row)}</tbody></table></div>${more(faults)}
</section>`
}

/** Longer JSON is spread over several lines. */
const MAX_ONE_LINE = 100
/** JSON that is nested more deeply, or would become longer by this factor, is not indented. */
const MAX_SPREAD_DEPTH = 20
const MAX_SPREAD = 3

// Brackets in strings count too.
const nestingOf = (json: string): number => {
  let [depth, most] = [0, 0]
  for (const sign of json) {
    if (sign === '[' || sign === '{') most = Math.max(most, ++depth)
    else if (sign === ']' || sign === '}') depth--
  }
  return most
}

/** A string as its text, another value as JSON on several lines; what was cut, or is not JSON, unchanged. */
const readable = (json: string): { readonly text: string; readonly isProse: boolean } => {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'string') return { text: value, isProse: true }
    if (json.length <= MAX_ONE_LINE || nestingOf(json) > MAX_SPREAD_DEPTH) return { text: json, isProse: false }
    const spread = JSON.stringify(value, null, 2)
    // A short one stays on one line: the message itself, since JSON.parse may have lost digits of numbers.
    return { text: spread.length > MAX_SPREAD * json.length ? json : spread, isProse: false }
  } catch {
    return { text: json, isProse: false }
  }
}

const value = (json: string): Html => {
  const { text, isProse } = readable(json)
  return isProse ? html`<p class="prose">${text}</p>` : html`<pre>${text}</pre>`
}

const seqText = (seq: number): Html =>
  seq > 0 ? html`<button type="button" class="seq" data-follow="${seq}">#${seq}</button>` : html`<span class="seq">#?</span>`

const counted = ({ total }: CountedItems<unknown>, one: string): string => `${total} ${one}${total === 1 ? '' : 's'}`

const more = ({ shown, total, next }: CountedItems<unknown>): Html | undefined => {
  if (total <= shown.length) return undefined
  const from = Math.floor((next ?? 0) / 1000) / 1000
  const how = from > 0 ? html` <code>plumb view --from ${from}</code> begins with the first of them.` : undefined
  return html`<p class="left-out">${total - shown.length} more are not shown.${how}</p>`
}

/** Bytes of a value in the page. */
export const valueBytes = (json: string | undefined): number => (json === undefined ? 0 : Buffer.byteLength(value(json).text))
