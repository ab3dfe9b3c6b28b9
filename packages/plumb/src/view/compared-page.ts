// The page of two records: what became of each input in both, those that differ first.

import { preview } from '@plumb/wire'
import { settingLines } from '../record/settings.js'
import { counted } from './article.js'
import { comparedArticle, comparedRow } from './compared-input.js'
import { comparedPrompts } from './compared-prompts.js'
import type { ComparedPair, ComparedRuns, ComparedSide } from './compared-runs.js'
import { comparedVerdict } from './compared-verdict.js'
import { framed, searchField } from './frame.js'
import { type Html, html } from './html.js'
import { inputList } from './list.js'
import { contextOf, facts, promptsOf } from './page.js'
import { fitOnPage, type Listed } from './page-room.js'
import { wiring } from './parts.js'

export interface ComparedPage {
  readonly page: string
  readonly items: readonly Listed[]
}

export const comparedPage = (runs: ComparedRuns, { isServed }: { readonly isServed: boolean }): ComparedPage => {
  const { left, right, pairs } = runs
  const contexts = { left: contextFor(left), right: contextFor(right) }
  const items = pairs.map(
    (pair): Listed => ({ seq: pair.key, row: () => comparedRow(pair), article: () => comparedArticle(pair, contexts) }),
  )
  const [first, second] = [left.parts.run, right.parts.run]
  const isLive = first.status === undefined || second.status === undefined
  const prompts = comparedPrompts(left, right)
  const page = framed({
    title: `${preview(first.binding)}: two runs compared`,
    header: header(runs, prompts !== undefined),
    before: [comparedVerdict(runs)],
    after: [wiring(right.parts.svg), ...(prompts ? [prompts] : [])],
    list: (room) => listOf(pairs, items, { room, isServed }),
    served: isServed ? (isLive ? 'live' : 'ended') : undefined,
  })
  return { page, items }
}

const contextFor = ({ parts, name }: ComparedSide) => contextOf(parts, promptsOf(parts), `${name}-`)

const SORTS = [
  ['seq', 'number'],
  ['t', 'more time'],
  ['k', 'more tokens'],
  ['c', 'more cost'],
] as const

const FILTERS = [
  ['', 'all'],
  ['differs', 'what differs'],
  ['output', 'another output'],
  ['error', 'another error'],
  ['only_left', 'only left'],
  ['only_right', 'only right'],
  ['same', 'the same'],
] as const

// What differs comes first.
const listOf = (pairs: readonly ComparedPair[], items: readonly Listed[], room: { room: number; isServed: boolean }): Html => {
  const differing = items.filter((_, i) => pairs[i]?.difference)
  const { rows, articles, missing } = fitOnPage(items, [...new Set([...differing, ...items])], room)
  const note =
    room.isServed || missing.length === 0
      ? undefined
      : html`<p class="left-out">This page holds ${items.length - missing.length} of ${counted(items.length, 'input')}: it has at most 5 MB. <code>plumb view --serve --against</code> shows all of them.</p>`
  return inputList({ rows, articles, total: items.length, note, sorts: SORTS, filters: FILTERS, isCompared: true })
}

const header = (runs: ComparedRuns, hasPrompts: boolean): Html => {
  const side = ({ name, parts, inputs }: ComparedSide) => {
    const { run, directory } = parts
    return html`<tr><th scope="row">${name} <code>${directory ?? ''}</code></th>${facts(run, inputs)
      .filter(({ name: fact }) => fact !== 'errors')
      .map(({ name: fact, value }) => html`<td><span>${fact}</span> ${value}</td>`)}</tr>`
  }
  const { run } = runs.left.parts
  const made = settingLines(runs.settings)
  return html`<header>
<h1>${run.spec === '' ? 'a spec from the command line' : run.spec} <small>${run.binding}: two runs compared</small></h1>
<div class="table runs" tabindex="0" role="group" aria-label="Both runs"><table><tbody>${[runs.left, runs.right].map(side)}</tbody></table></div>
<ul class="made">${made.length === 0 ? html`<li>Both were made in the same way.</li>` : made.map((line) => html`<li>${line}</li>`)}</ul>
<nav aria-label="Parts of this page"><a href="#inputs">Inputs</a><a href="#wiring">Wiring</a>${hasPrompts ? html`<a href="#prompts">Prompts</a>` : undefined}
${searchField}</nav>
</header>`
}
