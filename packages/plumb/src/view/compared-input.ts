// An input in two runs: a row of the list, and what became of it in both, side by side.

import { showCost, showCount } from '@plumb/runtime/display'
import type { HowDiffers, InputDifference } from '../record/compare-runs.js'
import { type ArticleContext, course, given, measures } from './article.js'
import type { ComparedPair, ComparedSide } from './compared-runs.js'
import { type Html, html } from './html.js'
import type { InputModel } from './inputs.js'
import { showMicroseconds } from './show-time.js'
import { firstWords, markedValue } from './value.js'
import { firstFault } from './verdict.js'

const MAX_WORDS = 70

export const HOW: Readonly<Record<HowDiffers | 'same', string>> = {
  output: 'another output',
  error: 'another error',
  only_left: 'only in the left run',
  only_right: 'only in the right run',
  same: 'the same',
}

const SHORT: typeof HOW = { output: 'output', error: 'error', only_left: 'left only', only_right: 'right only', same: 'same' }

const howOf = ({ difference }: ComparedPair): HowDiffers | 'same' => difference?.differs ?? 'same'

/** `#3`, or `#2 right` of what only the right run has. */
export const pairName = ({ left, right, key }: ComparedPair): string => (left ? `#${left.seq}` : right ? `#${right.seq} right` : `#${key}`)

/** How much more the right run took of it. */
const moreOf = ({ left, right }: ComparedPair, of: (input: InputModel) => number): number => (left && right ? of(right) - of(left) : 0)

const signed = (more: number, show: (n: number) => string): string =>
  more === 0 ? '' : `${more > 0 ? '+' : '\u2212'}${show(Math.abs(more))}`

const costOf = ({ cost }: InputModel): number => cost.known
const tokensOf = ({ read, written }: InputModel): number => read + written

export const comparedRow = (pair: ComparedPair): Html => {
  const input = pair.left ?? pair.right
  const message = input?.given[0]?.message
  const words = message ? firstWords(message.text, MAX_WORDS) : (firstFault(input?.faults ?? [])?.slice(0, MAX_WORDS) ?? '')
  const how = howOf(pair)
  const [took, tokens, cost] = [moreOf(pair, (one) => one.took), moreOf(pair, tokensOf), moreOf(pair, costOf)]
  const cells = [
    signed(took, showMicroseconds),
    signed(tokens, showCount),
    Math.abs(cost) < 1e-9 ? '' : signed(cost, (known) => showCost({ known, unpriced: [] })),
  ]
  return html`<li class="${how}${how === 'same' ? '' : ' differs'}" data-seq="${pair.key}" data-t="${Math.round(took)}" data-k="${tokens}" data-c="${cost}"><a href="#${pair.key}"><b>${pairName(pair)}</b><i>${SHORT[how]}</i><span>${words}</span>${cells.map((cell) => html`<em>${cell}</em>`)}</a></li>`
}

export const comparedArticle = (pair: ComparedPair, contexts: Readonly<Record<ComparedSide['name'], ArticleContext>>): Html => {
  const { key, left, right, difference } = pair
  const how = howOf(pair)
  const side = (name: ComparedSide['name'], input: InputModel | undefined): Html => html`<section class="side" aria-label="${name} run">
<h4>${name} <small>${input ? `${input.state} · ${measures(input)}` : 'does not have it'}</small></h4>
${input && course(input, contexts[name])}</section>`
  const shown = left ?? right
  return html`<article id="${key}" class="input compared ${how}${how === 'same' ? '' : ' differs'}" data-seq="${key}" aria-label="input ${pairName(pair)}">
<h3><a href="#${key}">${pairName(pair)}</a> <span class="state">${HOW[how]}</span>${left && right && left.seq !== right.seq ? html` <small>#${right.seq} of the right run</small>` : undefined}</h3>
${shown && given(shown, contexts[left ? 'left' : 'right'])}
${difference && left && right ? parting(difference) : undefined}
<div class="sides">${side('left', left)}${side('right', right)}</div>
</article>`
}

/** What the first wire that parts carried, or the errors. */
const parting = ({ wire, differs, left, right }: InputDifference): Html => {
  const value = (json: string, other: string): Html =>
    json === 'null' ? html`<p class="none">nothing</p>` : markedValue(json, other === 'null' ? json : other)
  const what = differs === 'error' ? 'errors' : 'what it carried'
  const head = wire === undefined ? 'Every wire carried the same' : html`Parts at <code>${wire}</code>`
  return html`<section class="parting"><h4>${head} <small>${what}</small></h4>
<div class="sides"><div class="side" role="group" aria-label="left">${value(left, right)}</div><div class="side" role="group" aria-label="right">${value(right, left)}</div></div></section>`
}
