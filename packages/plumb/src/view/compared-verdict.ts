// What a person wants to know of two runs first: how many inputs differ and where they part, and which run took more.

import { countsOf } from '../record/compare-runs.js'
import { counted, tokens } from './article.js'
import { HOW, pairName } from './compared-input.js'
import type { ComparedPair, ComparedRuns, ComparedSide } from './compared-runs.js'
import { type Html, html } from './html.js'
import { showMicroseconds } from './show-time.js'
import { addCosts, NOTHING_SPENT, spentText } from './spent.js'
import { type Usage, usageOf } from './verdict.js'
import { card, inputsThat, leading } from './verdict-card.js'

export const comparedVerdict = (runs: ComparedRuns): Html => html`
<section id="verdict" aria-label="Verdict">
${[differences(runs), partings(runs), failures(runs), costs(runs), times(runs)]}
</section>`

const linkTo = (pair: ComparedPair): Html => html`<a href="#${pair.key}">${pairName(pair)}</a> `

/** Links of one kind. */
const MAX_LINKS = 8

const linksTo = (pairs: readonly ComparedPair[]): Html =>
  html`${pairs.slice(0, MAX_LINKS).map(linkTo)}${pairs.length > MAX_LINKS ? `and ${pairs.length - MAX_LINKS} more` : ''}`

const differences = ({ pairs }: ComparedRuns): Html => {
  const counts = countsOf(pairs)
  const differing = pairs.filter(({ difference }) => difference)
  const kinds = (['output', 'error', 'only_left', 'only_right'] as const).filter((how) => counts[how] > 0)
  const same = leading(inputsThat('same'), `${counts.same} the same`)
  const items = kinds.map(
    (how) =>
      html`${leading(inputsThat(how), `${counts[how]} ${HOW[how]}`)}: ${linksTo(pairs.filter((one) => one.difference?.differs === how))}`,
  )
  if (items.length === 0) return card('good', { title: 'No input differs', more: same })
  const title = `${differing.length} of ${counted(pairs.length, 'input')} ${differing.length === 1 ? 'differs' : 'differ'}`
  return card('differing', { title, leads: inputsThat('differs'), items, more: same })
}

const partings = ({ pairs }: ComparedRuns): Html | undefined => {
  const wires = new Map<string, ComparedPair[]>()
  for (const pair of pairs) {
    const wire = pair.difference?.wire
    if (wire !== undefined) wires.set(wire, [...(wires.get(wire) ?? []), pair])
  }
  if (wires.size === 0) return undefined
  const all = [...wires].sort(([, a], [, b]) => b.length - a.length)
  const items = all.map(([wire, these]) => html`${these.length} at <code>${wire}</code>: ${linksTo(these)}`)
  return card('slow', { title: 'The first wire that parts', items })
}

const failures = ({ left, right }: ComparedRuns): Html | undefined => {
  const failed = ({ inputs }: ComparedSide) => inputs.filter(({ seq, state }) => seq > 0 && state === 'failed').length
  const [one, other] = [failed(left), failed(right)]
  const calls = ({ inputs }: ComparedSide) => inputs.reduce((sum, { failedCalls }) => sum + failedCalls, 0)
  const [oneCalls, otherCalls] = [calls(left), calls(right)]
  if (one + other + oneCalls + otherCalls === 0) return undefined
  return card(other > one ? 'failed' : other < one ? 'good' : 'open', {
    title: `Failed inputs: ${one} \u2192 ${other}`,
    items: oneCalls + otherCalls > 0 ? [`failed tool calls: ${oneCalls} \u2192 ${otherCalls}`] : [],
  })
}

const costs = ({ left, right }: ComparedRuns): Html | undefined => {
  const [one, other] = [totalOf(left), totalOf(right)]
  if (one.requests + other.requests === 0) return undefined
  const both = (of: (usage: Usage) => string) => `${of(one) || '0'} \u2192 ${of(other) || '0'}`
  const priced = spentText(one.cost) ?? spentText(other.cost)
  const items = [both(({ read, written }) => tokens(read, written)), `${both(({ requests }) => String(requests))} requests`]
  const title = priced === undefined ? 'Tokens' : `Cost: ${both(({ cost }) => spentText(cost) ?? '$0.00')}`
  return card('cost', { title, items })
}

const totalOf = ({ parts: { run } }: ComparedSide): Usage =>
  run.lanes.map(usageOf).reduce(
    (sum, one) => ({
      requests: sum.requests + one.requests,
      read: sum.read + one.read,
      written: sum.written + one.written,
      cost: addCosts(sum.cost, one.cost),
    }),
    { requests: 0, read: 0, written: 0, cost: NOTHING_SPENT },
  )

const SLOWEST = 3

const times = ({ left, right, pairs }: ComparedRuns): Html => {
  const took = ({ parts: { run } }: ComparedSide) => showMicroseconds(run.end - run.start)
  const more = ({ left: one, right: other }: ComparedPair) => (one && other ? other.took - one.took : 0)
  const slower = pairs
    .filter((pair) => more(pair) > 0)
    .sort((a, b) => more(b) - more(a))
    .slice(0, SLOWEST)
  const items = slower.map((pair) => html`${linkTo(pair)} ${showMicroseconds(more(pair))} longer`)
  return card('slow', { title: `Took ${took(left)} \u2192 ${took(right)}`, items })
}
