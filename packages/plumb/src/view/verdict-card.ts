// A card of the verdict, and what leads from it to its place.

import { type Html, html } from './html.js'

/** Items of one card. */
const MAX_ITEMS = 8

/** Where a number of the verdict leads. */
export interface Leads {
  /** A place of the page. */
  readonly to: string
  /** Of the list of inputs: the state of those that are shown then. */
  readonly show?: string
}

export const inputsThat = (show: string): Leads => ({ to: 'inputs', show })

export const leading = ({ to, show }: Leads, text: Html | string): Html =>
  html`<a href="#${to}"${show === undefined ? undefined : html` data-show="${show}"`}>${text}</a>`

export interface CardParts {
  readonly title: string
  /** Of the title, and of what has no room. */
  readonly leads?: Leads | undefined
  readonly items?: readonly (Html | string)[]
  readonly more?: Html | string | undefined
}

export const card = (kind: string, { title, leads, items = [], more }: CardParts): Html => {
  const rest = items.length > MAX_ITEMS ? `and ${items.length - MAX_ITEMS} more` : ''
  const linked = (text: string) => (leads ? leading(leads, text) : text)
  return html`<div class="card ${kind}">
<h2>${linked(title)}</h2>
${items.length === 0 ? undefined : html`<ul>${items.slice(0, MAX_ITEMS).map((item) => html`<li>${item}</li>`)}</ul>`}
${rest === '' ? undefined : html`<p class="left-out">${linked(rest)}</p>`}${more === undefined ? undefined : html`<p>${more}</p>`}
</div>`
}

export const linkTo = (seq: number): Html => leading({ to: String(seq) }, `#${seq}`)
