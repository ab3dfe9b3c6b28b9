// All that came of one input, in order: what it was, what each process was asked, said and did, and what came out.

import { showCount } from '@plumb/runtime/display'
import { isRecord } from '@plumb/wire'
import { type Html, html } from './html.js'
import { type InputModel, isWaiting, type Sent, type Step, type Turn } from './inputs.js'
import type { Pictures } from './pictures.js'
import type { Block, RunTexts } from './record-texts.js'
import type { CallModel, Lane, Note, RequestModel } from './run-model.js'
import { showMicroseconds } from './show-time.js'
import { spentText } from './spent.js'
import { code, prose, value } from './value.js'

export interface ArticleContext {
  /** Before the ids of its places: a page of two runs has each of them twice. */
  readonly prefix: string
  readonly texts: RunTexts
  readonly pictures: Pictures
  /** Whether the page has the prompt of a lane. */
  readonly hasPrompt: (lane: number) => boolean
}

export const article = (input: InputModel, context: ArticleContext): Html => {
  const { seq, state } = input
  const name = seq > 0 ? `#${seq}` : 'without a number'
  return html`<article id="${seq}" class="input ${state}" data-seq="${seq}" aria-label="input ${name}">
<h3><a href="#${seq}">${name}</a> <span class="state">${state}</span> <small>${measures(input)}</small></h3>
${given(input, context)}
${course(input, context)}
</article>`
}

/** What the input was. */
export const given = (input: InputModel, { texts, pictures }: ArticleContext): readonly Html[] =>
  input.given.map(({ wire, message }) =>
    said('in', input.given.length > 1 ? wire.wire.from : 'input', value(texts.messageOf(message, wire), pictures)),
  )

/** What became of it. */
export const course = ({ given, outputs, between, turns, faults }: InputModel, context: ArticleContext): readonly (Html | undefined)[] => {
  const sent = ({ wire, message }: Sent) => value(context.texts.messageOf(message, wire), context.pictures)
  const known = new Set(given.map(({ message }) => message.text))
  return [
    ...turns.map((turn) => turnPart(turn, context, known)),
    between.length === 0
      ? undefined
      : html`<details class="between"><summary>${counted(between.length, 'message')} between other processes</summary>${between.map((one) => said('between', `${one.wire.wire.from} → ${one.wire.wire.to}`, sent(one)))}</details>`,
    ...outputs.map((one) => said('out', one.wire.wire.to, sent(one))),
    ...faults.map(fault),
  ]
}

const said = (kind: string, who: string, what: Html | string): Html =>
  html`<div class="say ${kind}"><b class="who">${who}</b><div>${what}</div></div>`

const fault = (note: Note): Html => {
  const { process, title, detail } = note
  if (isWaiting(note)) return said('wait', 'waits', detail)
  return said('bad', 'error', html`<b class="bad">${title}</b> ${process === '' ? undefined : `${process}: `}${detail}`)
}

const MIN_WAIT = 50_000

/** Time, tokens and cost. */
export const measures = (input: InputModel): string => {
  const { start, end, took, read, written, cost, failedCalls } = input
  const parts = [
    took > 0 ? showMicroseconds(took) : '',
    end - start > took * 1.5 && end - start > MIN_WAIT ? `${showMicroseconds(end - start)} with waits` : '',
    tokens(read, written),
    spentText(cost) ?? '',
    failedCalls > 0 ? `${counted(failedCalls, 'failed tool call')}` : '',
  ]
  return parts.filter((part) => part !== '').join(' · ')
}

export const tokens = (read: number, written: number): string =>
  read + written === 0 ? '' : `${showCount(read)}+${showCount(written)} tokens`

export const counted = (n: number, one: string): string => `${n} ${one}${n === 1 ? '' : 's'}`

const turnPart = (one: Turn, context: ArticleContext, given: ReadonlySet<string>): Html => {
  const { id, lane, laneIndex, turn, steps } = one
  const { input, output } = turn ? context.texts.turnOf(turn, lane) : { input: undefined, output: undefined }
  const prompt = context.hasPrompt(laneIndex) ? html` &middot; <a href="#${context.prefix}p${laneIndex}">prompt</a>` : undefined
  const shown = stepsOf(one, output, context)
  return html`<section class="turn ${lane.runs}" id="${context.prefix}${id}"><h4>${lane.name} <small>${turn ? when(one) : lane.runs}${prompt}</small></h4>
${input === undefined ? undefined : said('in', 'in', given.has(turn?.input ?? '') ? html`<span class="none">the input, as it came</span>` : value(input, context.pictures))}
${shown.parts}
${turn === undefined || shown.hasAnswer ? undefined : answer(turn.error, output, context, steps)}</section>`
}

const when = ({ turn, lane }: Turn): string => {
  if (!turn?.isBegun) return 'not begun'
  const waited = turn.waited >= 1 ? `, after a wait of ${showMicroseconds(turn.waited * 1000)}` : ''
  const held = turn.held >= 1 ? `, then held for ${showMicroseconds(turn.held * 1000)} behind those before it` : ''
  return `${lane.runs} · took ${showMicroseconds(turn.end - turn.start)} at ${showMicroseconds(turn.start)}${waited}${held}`
}

const answer = (error: string | undefined, output: string | undefined, { pictures }: ArticleContext, steps: readonly Step[]): Html => {
  if (error !== undefined) return /^(parked|in_doubt):/.test(error) ? said('wait', 'waits', error) : said('bad', 'error', error)
  if (output !== undefined) return said('out', 'out', value(output, pictures))
  return said('none', 'none', steps.length > 0 ? 'no answer before the run ended' : 'no answer')
}

type CallStep = Extract<Step, { readonly kind: 'call' }>

interface ShownSteps {
  readonly parts: readonly Html[]
  /** What the model said last is the answer. */
  readonly hasAnswer: boolean
}

const stepsOf = ({ lane, turn, steps }: Turn, output: string | undefined, context: ArticleContext): ShownSteps => {
  const left = new Set(steps.flatMap((step) => (step.kind === 'call' ? [step] : [])))
  const answers = new Map(
    steps.flatMap((step) => (step.kind === 'request' ? [[step, context.texts.answerOf(step.request, lane)] as const] : [])),
  )
  const takeCall = (id: unknown, tool: unknown) => {
    const own = [...left]
    const found = own.find(({ call }) => call.id === id && call.id !== '') ?? own.find(({ call }) => call.tool === tool && call.depth === 0)
    if (found) left.delete(found)
    return found
  }
  // A call may be over before the request that it comes from is reported: it stands where the model made it.
  const made = new Map<Block, CallStep>()
  for (const block of [...answers.values()].flatMap((blocks) => blocks ?? [])) {
    const call = block.type === 'tool_use' ? takeCall(block.id, block.name) : undefined
    if (call) made.set(block, call)
  }
  const last = steps.findLast(({ kind }) => kind === 'request')
  let hasAnswer = false
  const parts = steps.flatMap((step, i): Html[] => {
    if (step.kind === 'note') return [notePart(step.note)]
    if (step.kind === 'call') return left.delete(step) ? [callPart(step, lane, context)] : []
    const blocks = answers.get(step)
    const isRefused = isSentBack(steps.slice(i + 1)) || (step === last && /^(output_type_mismatch|answer_refused):/.test(turn?.error ?? ''))
    const isAnswer = step === last && blocks !== undefined && isTextOf(output, blocks)
    hasAnswer ||= isAnswer
    const shown = (blocks ?? []).map((block): Html => {
      const call = made.get(block)
      if (call) return callPart(call, lane, context)
      return blockPart(block, { isRefused, isAnswer })
    })
    return [requestPart(context.prefix + step.id, step.request, shown)]
  })
  return { parts, hasAnswer }
}

// A request that is made again follows what was wrong with its answer; calls and requests do not come between.
const isSentBack = (later: readonly Step[]): boolean => {
  const next = later.find(({ kind }) => kind !== 'call')
  return next?.kind === 'note' && next.note.title === 'retry' && next.note.told !== undefined
}

const isTextOf = (output: string | undefined, blocks: readonly Block[]): boolean => {
  if (output === undefined) return false
  const text = blocks.map(({ type, text: words }) => (type === 'text' && typeof words === 'string' ? words : '')).join('')
  return JSON.stringify(text) === output || text.trim() === output
}

const requestPart = (id: string, request: RequestModel, shown: readonly Html[]): Html => {
  const { model, read, written, cost, start, end, source } = request
  const price = cost === undefined ? undefined : spentText({ known: cost, unpriced: [] })
  const took = source === undefined ? showMicroseconds(end - start) : `from the ${source}`
  const parts = [model, took, tokens(read, written), price ?? ''].filter((part) => part !== '')
  return html`<div class="request" id="${id}"><small>${parts.join(' · ')}</small>${shown}</div>`
}

const blockPart = (block: Block, { isRefused, isAnswer }: { readonly isRefused: boolean; readonly isAnswer: boolean }): Html => {
  const { type, text, thinking, name, input } = block
  if (type === 'text') {
    const kind = isRefused ? 'refused' : isAnswer ? 'out' : 'said'
    return said(kind, isRefused ? 'refused' : isAnswer ? 'answer' : 'said', prose(String(text)))
  }
  if (type === 'thinking') return folded('think', 'thinking', prose(String(thinking)))
  if (type === 'redacted_thinking') return said('none', 'thinking', 'that only the provider can read')
  if (type === 'tool_use') return said('tool', String(name), html`${code(jsonOf(input))}<p class="none">no result is known</p>`)
  return folded('other', String(type), code(jsonOf(block)))
}

const jsonOf = (value: unknown): string => JSON.stringify(value, null, isRecord(value) && JSON.stringify(value).length > 100 ? 2 : 0) ?? ''

const folded = (kind: string, name: string, inside: Html): Html =>
  html`<details class="say ${kind}"><summary><b class="who">${name}</b></summary>${inside}</details>`

const callPart = (
  { call, id }: { readonly call: CallModel; readonly id: string },
  lane: Lane,
  { texts, pictures, prefix }: ArticleContext,
): Html => {
  const { tool, isOk, isWaiting: waits, stages, start, end, isCached, attempts, depth } = call
  const state = waits ? html`<b class="waits">waits</b>` : isOk ? 'ok' : html`<b class="bad">failed</b>`
  const { input, result } = texts.callOf(call, lane)
  const how = [
    showMicroseconds(end - start),
    ...(isCached ? ['from cache'] : []),
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...(depth > 0 ? ['inside a call'] : []),
  ]
  const stageList =
    stages.length === 0
      ? undefined
      : html`<details class="stages"><summary>stages</summary><ol>${stages.map((stage) => html`<li>${stage}</li>`)}</ol></details>`
  return html`<div class="say tool${isOk ? '' : waits ? ' wait' : ' failed'}" id="${prefix}${id}"><b class="who">${tool}</b><div><small>${state} &middot; ${how.join(' · ')}</small>
${value(input, pictures)}<div class="result"><b class="who">${isOk ? 'result' : waits ? 'waits' : 'error'}</b>${result === undefined ? html`<p class="none">not in the record</p>` : isOk ? value(result, pictures) : errorText(result, waits ? 'waits' : 'bad')}</div>${stageList}</div></div>`
}

/** What is wrong first, then the rest of it. */
const errorText = (result: string, kind: string): Html => {
  const { detail, error } = readFault(result)
  return detail === undefined ? value(result) : html`<p class="${kind}">${error}${detail}</p>`
}

export const readFault = (json: string): { readonly error: string; readonly detail: string | undefined } => {
  try {
    const value: unknown = JSON.parse(json)
    if (isRecord(value) && typeof value.detail === 'string')
      return { error: typeof value.error === 'string' ? `${value.error}: ` : '', detail: value.detail }
  } catch {
    // It was cut.
  }
  return { error: '', detail: undefined }
}

const notePart = ({ title, detail, told }: Note): Html => {
  if (told === undefined) return said('note', title, detail)
  return said('note', 'sent back', html`${detail}<details><summary>what it was told</summary>${prose(told)}</details>`)
}
