// The inputs of a run as a list, which leads to what came of each.

import { showCount } from '@plumb/runtime/display'
import { type Html, html } from './html.js'
import type { InputModel } from './inputs.js'
import { showMicroseconds } from './show-time.js'
import { spentText } from './spent.js'
import { firstWords } from './value.js'
import { firstFault } from './verdict.js'

const MAX_WORDS = 70

const STATES = { failed: 'failed', waiting: 'waits', done: 'done', unfinished: 'no end' } as const

/** Columns that no row fills, from the first on. */
type Lacking = 'tokens' | 'cost' | undefined

export const lackingIn = (inputs: readonly InputModel[]): Lacking => {
  if (inputs.every(({ read, written }) => read + written === 0)) return 'tokens'
  return inputs.every(({ cost }) => spentText(cost) === undefined) ? 'cost' : undefined
}

/** `isGoingOn`: the run, so that an input without an end may still have one. */
export const inputRow = (input: InputModel, lacks: Lacking, isGoingOn: boolean): Html => {
  const { seq, state, given, took, read, written, cost, failedCalls } = input
  const words = given[0] ? firstWords(given[0].message.text, MAX_WORDS) : (firstFault(input.faults)?.slice(0, MAX_WORDS) ?? '')
  const all = [took > 0 ? showMicroseconds(took) : '', read + written === 0 ? '' : showCount(read + written), spentText(cost) ?? '']
  const cells = all.slice(0, lacks === 'tokens' ? 1 : lacks === 'cost' ? 2 : 3)
  return html`<li class="${state}" data-seq="${seq}" data-t="${Math.round(took)}" data-k="${read + written}" data-c="${cost.known}"${failedCalls > 0 ? html` data-f="${failedCalls}"` : undefined}><a href="#${seq}"><b>${seq > 0 ? `#${seq}` : '#?'}</b><i>${isGoingOn && state === 'unfinished' ? 'runs' : STATES[state]}</i><span>${words}</span>${cells.map((cell) => html`<em>${cell}</em>`)}</a></li>`
}

/** The values of a choice, with what they are called: attributes of rows by which they are sorted, and classes of those that are shown. */
type Choice = readonly (readonly [value: string, name: string])[]

const SORTS: Choice = [
  ['seq', 'number'],
  ['t', 'time'],
  ['k', 'tokens'],
  ['c', 'cost'],
]

const FILTERS: Choice = [
  ['', 'all'],
  ['failed', 'failed'],
  ['waiting', 'waiting'],
  ['calls', 'with failed tool calls'],
  ['done', 'done'],
  ['unfinished', 'without an end'],
]

export interface ListParts {
  readonly sorts?: Choice
  readonly filters?: Choice
  readonly rows: readonly Html[]
  readonly articles: readonly Html[]
  /** Of all inputs, and of those that are on the page. */
  readonly total: number
  /** Why some are not. */
  readonly note: Html | undefined
  /** Columns that no row fills. */
  readonly lacks?: Lacking
  /** Each is of two runs. */
  readonly isCompared?: boolean
}

/** Rows that are elements from the beginning. A script draws the others as they are looked at, and shows one article; it finds them as text. */
const FIRST_ROWS = 60

export const inputList = ({ rows, articles, total, note, sorts = SORTS, filters = FILTERS, lacks, isCompared }: ListParts): Html => html`
<section id="inputs" aria-labelledby="inputs-title" data-total="${total}" data-held="${articles.length}">
<h2 id="inputs-title">Inputs <small class="count" id="shown-count">${total}</small></h2>
${note}
<div class="pair${isCompared ? ' compared' : ''}">
<div class="list">
<div class="tools" data-script hidden><label>show <select id="filter">${filters.map(([name, text]) => html`<option value="${name}">${text}</option>`)}</select></label>
<label>with <input id="words" type="search" autocomplete="off" spellcheck="false" size="12"></label>
<label>by <select id="sort">${sorts.map(([name, text]) => html`<option value="${name}">${text}</option>`)}</select></label></div>
<div class="rows${lacks === undefined ? '' : ` no-${lacks}`}" id="list"><ol id="rows" role="list" aria-label="Inputs">${rows.slice(0, FIRST_ROWS)}</ol>
<noscript id="more-rows">${rows.length > FIRST_ROWS ? html`<ol>${rows.slice(FIRST_ROWS)}</ol>` : undefined}</noscript></div>
<p class="hint" data-script hidden>arrow keys, n and p go from input to input</p>
</div>
<div class="chosen" id="chosen">
<div class="tools" data-script hidden><button type="button" id="previous" title="Previous (p)">&uarr;</button><button type="button" id="next" title="Next (n)">&darr;</button><button type="button" id="raw" aria-pressed="false" title="Markdown as it was written">raw</button><button type="button" id="follow" aria-pressed="false" title="Mark it in the timeline">follow</button></div>
<noscript id="articles">${articles}</noscript>
</div>
</div>
</section>`
