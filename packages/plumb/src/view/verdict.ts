// What a person wants to know first: what failed and why, what waits for a decision, what cost most, what took longest.

import type { ListedCall } from '@plumb/ledger/approval'
import { counted, readFault, tokens } from './article.js'
import { type Html, html } from './html.js'
import { callId, type InputModel, isWaiting, seqsOf } from './inputs.js'
import { shortName, shortReason } from './page-limits.js'
import type { Lane, Note, RunModel, ShownCost } from './run-model.js'
import { showMicroseconds } from './show-time.js'
import { addCosts, NOTHING_SPENT, spentText } from './spent.js'
import { card, linkTo } from './verdict-card.js'
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
  const rest = [`${done} done`, ...(unfinished > 0 ? [`${unfinished} ${run.isGoingOn ? 'on the way' : 'without an end'}`] : [])].join(', ')
  if (items.length === 0)
    return card(unfinished > 0 || run.status === undefined ? 'open' : 'good', `No input failed`, [], html`<p>${rest}</p>`)
  const title = failed.length === 0 ? counted(others.length, 'error') : `${counted(failed.length, 'input')} failed`
  return card('failed', title, items, html`<p>${rest}. <a href="#errors">All errors</a></p>`)
}

const whyFailed = ({ seq, faults }: InputModel): Html => {
  const [first, ...others] = faults.filter((fault) => !isWaiting(fault))
  const more = others.length > 0 ? ` (and ${counted(others.length, 'error')} more)` : ''
  return html`${linkTo(seq)} ${first?.process ? html`<b>${shortName(first.process)}</b>: ` : undefined}${shortReason(first?.detail ?? '')}${more}`
}

const failedCalls = ({ lanes }: RunModel): Html | undefined => {
  const all = lanes.flatMap((lane, i) => lane.calls.map((call, j) => ({ call, id: callId(i, j) })))
  if (all.length === 0) return undefined
  const failed = all.filter(({ call }) => !call.isOk && !call.isWaiting)
  if (failed.length === 0) return card('good', counted(all.length, 'tool call'), [], html`<p>none failed</p>`)
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
        html`${shortReason(why)}, ${these.length === 1 ? 'once' : `${these.length} times`}: ${these.slice(0, 3).map(({ id, call }) => html`<a href="#${id}">${call.seq > 0 ? `#${call.seq}` : 'there'}</a> `)}`,
    )
  return card('failed', `${failed.length} of ${counted(all.length, 'tool call')} failed`, items)
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
  const all = run.lanes.map((lane) => ({ name: lane.name, ...usageOf(lane) })).filter(({ requests }) => requests > 0)
  if (all.length === 0) return undefined
  const total = all.reduce((sum, one) => addCosts(sum, one.cost), NOTHING_SPENT)
  const [read, written] = [all.reduce((sum, one) => sum + one.read, 0), all.reduce((sum, one) => sum + one.written, 0)]
  const byCost = (a: Pick<Usage, 'cost' | 'read'>, b: typeof a) => b.cost.known - a.cost.known || b.read - a.read
  const line = (one: Usage) =>
    [spentText(one.cost) ?? '', tokens(one.read, one.written), counted(one.requests, 'request')].filter(Boolean).join(', ')
  const [dearest] = inputs.filter(({ seq }) => seq > 0).sort(byCost)
  const most = dearest && (spentText(dearest.cost) ?? tokens(dearest.read, dearest.written))
  const items = all.sort(byCost).map((one) => html`<b>${shortName(one.name)}</b> ${line(one)}`)
  const priced = spentText(total)
  return card(
    'cost',
    priced === undefined ? tokens(read, written) : `${priced} spent`,
    items,
    most ? html`<p>Dearest input: ${linkTo(dearest.seq)} ${most}</p>` : undefined,
  )
}

const SLOWEST = 3

const slowest = (inputs: readonly InputModel[]): Html | undefined => {
  const all = inputs.filter(({ seq, turns }) => seq > 0 && turns.length > 0).sort((a, b) => b.took - a.took)
  const [first] = all
  if (!first) return undefined
  const items = all.slice(0, SLOWEST).map((input) => html`${linkTo(input.seq)} ${showMicroseconds(input.took)}${longestIn(input)}`)
  return card('slow', `Slowest: ${showMicroseconds(first.took)}`, items)
}

const longestIn = ({ turns }: InputModel): string => {
  const [longest] = turns
    .flatMap(({ lane, turn }) => (turn ? [{ name: lane.name, took: turn.end - turn.start }] : []))
    .sort((a, b) => b.took - a.took)
  return longest ? `, of it ${showMicroseconds(longest.took)} in ${shortName(longest.name)}` : ''
}

export const firstFault = (faults: readonly Note[]): string | undefined => faults.find((fault) => !isWaiting(fault))?.detail
