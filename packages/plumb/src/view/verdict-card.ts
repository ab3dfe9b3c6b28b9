// A card of the verdict, and what leads from it to an input.

import { type Html, html } from './html.js'

/** Items of one card. */
const MAX_ITEMS = 8

export const card = (
  kind: string,
  title: Html | string,
  items: readonly (Html | string)[],
  more?: Html | string,
): Html => html`<div class="card ${kind}">
<h2>${title}</h2>
${items.length === 0 ? undefined : html`<ul>${items.slice(0, MAX_ITEMS).map((item) => html`<li>${item}</li>`)}</ul>`}
${items.length > MAX_ITEMS ? html`<p class="left-out">and ${items.length - MAX_ITEMS} more</p>` : undefined}${more}
</div>`

export const linkTo = (seq: number): Html => html`<a href="#${seq}">#${seq}</a>`
