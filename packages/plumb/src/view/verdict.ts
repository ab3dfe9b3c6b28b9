// What a person wants to know first: what failed and why, what waits for a decision, what cost most, what took longest.

import type { ListedCall } from '@plumb/ledger/approval'
import { counted, readFault, tokens } from './article.js'
import { type Html, html } from './html.js'
import { callId, type InputModel, isWaiting, processId, requestId, seqsOf } from './inputs.js'
import { shortName, shortReason } from './page-limits.js'
import type { Lane, Note, RunModel, ShownCost } from './run-model.js'
import { showMicroseconds } from './show-time.js'
import { addCosts, NOTHING_SPENT, spentText } from './spent.js'
import { card, inputsThat, type Leads, leading, linkTo } from './verdict-card.js'
import { waits } from './waiting.js'

export interface VerdictFacts {
  readonly run: RunModel
  readonly inputs: readonly InputModel[]
  readonly waiting: readonly ListedCall[]
  /** The record, as commands name it. */
  readonly directory: string | undefined
}

export const verdict = (facts: VerdictFacts): Html => html`
<section id="verdict" aria-label="Verdict">
${[failures(facts), waits(facts.inputs, facts.waiting, facts.directory ?? 'REC'), failedCalls(facts.run), costs(facts), slowest(facts.inputs)]}
</section>`

const failures = ({ run, inputs }: VerdictFacts): Html => {
  const failed = inputs.filter(({ seq, state }) => state === 'failed' && seq > 0)
  const others = run.faults.filter((fault) => !isWaiting(fault) && seqsOf(fault).every((seq) => seq === 0))
  const done = inputs.filter(({ seq, state }) => state === 'done' && seq > 0).length
  const unfinished = inputs.filter(({ state }) => state === 'unfinished').length
  const items = [
    ...failed.map(whyFailed),
    ...others.map((fault) => html`${fault.process === '' ? undefined : `${shortName(fault.process)}: `}${shortReason(fault.detail)}`),
  ]
  const states = [
    leading(inputsThat('done'), `${done} done`),
    ...(unfinished > 0 ? [leading(inputsThat('unfinished'), `${unfinished} ${run.isGoingOn ? 'on the way' : 'without an end'}`)] : []),
  ]
  const rest = html`${states.map((state, i) => html`${i > 0 ? ', ' : ''}${state}`)}`
  if (items.length === 0)
    return card(unfinished > 0 || run.status === undefined ? 'open' : 'good', { title: 'No input failed', more: rest })
  const title = failed.length === 0 ? counted(others.length, 'error') : `${counted(failed.length, 'input')} failed`
  const leads = failed.length === 0 ? ERRORS : inputsThat('failed')
  return card('failed', { title, leads, items, more: html`${rest}. ${leading(ERRORS, 'All errors')}` })
}

const ERRORS: Leads = { to: 'errors' }
const TOOLS: Leads = { to: 'tools' }
const AGENTS: Leads = { to: 'processes' }

const whyFailed = ({ seq, faults }: InputModel): Html => {
  const [first, ...others] = faults.filter((fault) => !isWaiting(fault))
  const more = others.length > 0 ? ` (and ${counted(others.length, 'error')} more)` : ''
  return html`${linkTo(seq)} ${first?.process ? html`<b>${shortName(first.process)}</b>: ` : undefined}${shortReason(first?.detail ?? '')}${more}`
}

const failedCalls = ({ lanes }: RunModel): Html | undefined => {
  const all = lanes.flatMap((lane, i) => lane.calls.map((call, j) => ({ call, id: callId(i, j) })))
  if (all.length === 0) return undefined
  const failed = all.filter(({ call }) => !call.isOk && !call.isWaiting)
  const waiting = all.filter(({ call }) => call.isWaiting).length
  const more = waiting > 0 ? `none failed, ${waiting} ${waiting === 1 ? 'waits' : 'wait'}` : 'none failed'
  if (failed.length === 0) return card('good', { title: counted(all.length, 'tool call'), leads: TOOLS, more })
  const kinds = new Map<string, typeof failed>()
  for (const one of failed) {
    const why = readFault(one.call.result ?? '').detail ?? (one.call.result ?? 'no reason is known').slice(0, 200)
    const key = `${one.call.tool}: ${why}`
    kinds.set(key, [...(kinds.get(key) ?? []), one])
  }
  const items = [...kinds]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(
      ([why, these]) =>
        html`${shortReason(why)}, ${these.length === 1 ? 'once' : `${these.length} times`}: ${these.slice(0, 3).map(({ id, call }) => html`${leading({ to: id }, call.seq > 0 ? `#${call.seq}` : 'there')} `)}`,
    )
  return card('failed', { title: `${failed.length} of ${counted(all.length, 'tool call')} failed`, leads: TOOLS, items })
}

export interface Usage {
  readonly requests: number
  readonly read: number
  readonly written: number
  readonly cost: ShownCost
}

export const usageOf = ({ requests }: Pick<Lane, 'requests'>): Usage => ({
  requests: requests.filter(({ source }) => source === undefined).length,
  read: requests.reduce((sum, { read }) => sum + read, 0),
  written: requests.reduce((sum, { written }) => sum + written, 0),
  cost: requests
    .map(({ cost, model }) => (cost === undefined ? { known: 0, unpriced: [model] } : { known: cost, unpriced: [] }))
    .reduce(addCosts, NOTHING_SPENT),
})

const costs = ({ run, inputs }: VerdictFacts): Html | undefined => {
  const all = run.lanes.map((lane, i) => ({ lane, at: i, ...usageOf(lane) })).filter(({ requests }) => requests > 0)
  if (all.length === 0) return nothingSpent(run)
  const total = all.reduce((sum, one) => addCosts(sum, one.cost), NOTHING_SPENT)
  const [read, written] = [all.reduce((sum, one) => sum + one.read, 0), all.reduce((sum, one) => sum + one.written, 0)]
  const byCost = (a: Pick<Usage, 'cost' | 'read'>, b: typeof a) => b.cost.known - a.cost.known || b.read - a.read
  const line = (one: Usage) =>
    [spentText(one.cost) ?? '', tokens(one.read, one.written), counted(one.requests, 'request')].filter(Boolean).join(', ')
  const items = all.sort(byCost).map((one) => html`<b>${leading({ to: processId(one.at) }, shortName(one.lane.name))}</b> ${line(one)}`)
  const [dearest] = inputs.filter(({ seq }) => seq > 0).sort(byCost)
  const most = [dearestInput(dearest), dearestRequest(all)].filter((one) => one !== undefined)
  const priced = spentText(total)
  return card('cost', {
    title: priced === undefined ? tokens(read, written) : `${priced} spent`,
    leads: AGENTS,
    items,
    more: most.length > 0 ? html`Dearest ${most.map((one, i) => html`${i > 0 ? ', ' : ''}${one}`)}` : undefined,
  })
}

// Without a request of this run there may be answers of others.
const nothingSpent = ({ lanes }: RunModel): Html | undefined => {
  const sources = lanes.flatMap(({ requests }) => requests.flatMap(({ source }) => source ?? []))
  if (sources.length === 0) return undefined
  const from = [...new Set(sources)].map((source) => `the ${source}`).join(' and ')
  return card('cost', { title: 'Nothing spent', leads: AGENTS, more: `${counted(sources.length, 'answer')} came from ${from}` })
}

const dearestInput = (input: InputModel | undefined): Html | undefined => {
  const most = input && (spentText(input.cost) ?? tokens(input.read, input.written))
  return most ? html`input: ${linkTo(input.seq)} ${most}` : undefined
}

const dearestRequest = (lanes: readonly { readonly lane: Lane; readonly at: number }[]): Html | undefined => {
  const all = lanes.flatMap(({ lane, at }) => lane.requests.map((request, i) => ({ request, id: requestId(at, i) })))
  const dearest = all.reduce<(typeof all)[number] | undefined>(
    (most, one) => ((one.request.cost ?? 0) > (most?.request.cost ?? 0) ? one : most),
    undefined,
  )
  if (!dearest || all.length < 2) return undefined
  const { cost = 0, seq } = dearest.request
  return html`request: ${leading({ to: dearest.id }, seq > 0 ? `#${seq}` : 'this one')} ${spentText({ known: cost, unpriced: [] })}`
}

const SLOWEST = 3

const slowest = (inputs: readonly InputModel[]): Html | undefined => {
  const all = inputs.filter(({ seq, turns }) => seq > 0 && turns.length > 0).sort((a, b) => b.took - a.took)
  const [first] = all
  if (!first) return undefined
  const items = all.slice(0, SLOWEST).map((input) => html`${linkTo(input.seq)} ${showMicroseconds(input.took)}${longestIn(input)}`)
  return card('slow', { title: `Slowest: ${showMicroseconds(first.took)}`, leads: { to: String(first.seq) }, items })
}

// Clocks of nested plumbs are not the same to the millisecond.
const longestIn = ({ turns, took }: InputModel): Html | undefined => {
  const [longest] = turns
    .flatMap(({ id, lane, turn }) => (turn ? [{ id, name: lane.name, took: turn.end - turn.start }] : []))
    .sort((a, b) => b.took - a.took)
  return (
    longest && html`, of it ${showMicroseconds(Math.min(took, longest.took))} in ${leading({ to: longest.id }, shortName(longest.name))}`
  )
}

export const firstFault = (faults: readonly Note[]): string | undefined => faults.find((fault) => !isWaiting(fault))?.detail
