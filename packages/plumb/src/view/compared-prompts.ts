// The prompts of the agents of two runs: once where they are the same, else side by side with what differs marked.

import { counted } from './article.js'
import type { ComparedSide } from './compared-runs.js'
import { type Html, html } from './html.js'
import { promptsOf } from './page.js'
import { fitting, MAX_PROMPT_BYTES, shortName } from './page-limits.js'
import { section } from './parts.js'
import { markedValue, prose } from './value.js'

export const comparedPrompts = (left: ComparedSide, right: ComparedSide): Html | undefined => {
  const [one, other] = [byPlace(left), byPlace(right)]
  // What differs first.
  const isSame = (place: string): number => (one.get(place)?.system === other.get(place)?.system ? 1 : 0)
  const places = [...new Set([...one.keys(), ...other.keys()])].sort((a, b) => isSame(a) - isSame(b) || (a < b ? -1 : 1))
  const each = places.map((place) => promptOf(place, one.get(place), other.get(place)))
  if (each.length === 0) return undefined
  const shown = fitting(each, MAX_PROMPT_BYTES)
  const rest = each.length - shown.length
  return section('prompts', 'Prompts', rest > 0 ? [...shown, html`<p class="left-out">${rest} more are in the records.</p>`] : shown)
}

interface PlacedPrompt {
  readonly id: string
  readonly system: string
}

const byPlace = ({ name, parts }: ComparedSide): ReadonlyMap<string, PlacedPrompt> =>
  new Map([...promptsOf(parts)].map(([i, { system }]) => [parts.run.lanes[i]?.place ?? '', { id: `${name}-p${i}`, system }]))

const promptOf = (place: string, left: PlacedPrompt | undefined, right: PlacedPrompt | undefined): Html => {
  const isSame = left?.system === right?.system
  const [one, other] = [left?.system, right?.system].map((system) => (system === undefined ? undefined : JSON.stringify(system)))
  const value = (json: string | undefined, beside: string | undefined): Html =>
    json === undefined ? html`<p class="none">none</p>` : markedValue(json, beside ?? json)
  const text = isSame
    ? prose(left?.system ?? '')
    : html`<div class="sides"><div class="side">${value(one, other)}</div><div class="side">${value(other, one)}</div></div>`
  const said = isSame ? counted(left?.system.length ?? 0, 'character') : 'another prompt'
  return html`<details class="prompt"${left ? html` id="${left.id}"` : undefined}><summary${right ? html` id="${right.id}"` : undefined}><b>${shortName(place)}</b> <span class="${isSame ? 'count' : 'waits'}">${said}</span></summary>
${text}</details>`
}
