// Where a name leads: sections of this page and of others, other pages, options. Anchors are those that GitHub gives to headings.

import { textOf } from './inline.mjs'

/** What GitHub makes of a heading. */
export const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

/** The anchor of an option, a key or a command that a list explains: of the first word that is code. */
export const termAnchorOf = (term) => {
  const code = term.filter(({ kind }) => kind === 'code').map(({ text }) => text)
  const name = code.find((text) => text.startsWith('--')) ?? code[0]
  const word = /^-{0,2}[\w.-]+/.exec(name ?? '')?.[0]
  return word === undefined ? undefined : `term-${word.replace(/^-+/, '')}`
}

/** Which pages there are, and their headings, by NAME(N). */
export const indexOf = (pages) =>
  new Map(
    pages.map((page) => [
      `${page.name}(${page.section})`,
      new Map(page.blocks.filter(({ kind }) => kind === 'heading').map(({ text }) => [text.toLowerCase(), anchorOf(text)])),
    ]),
  )

/**
 * The spans with `to` where they lead somewhere: { page, anchor }, either of them absent.
 * A section is looked for in this page, and else in the page that was named before it in the same paragraph.
 */
export const withLinks = (spans, page, index) => {
  const here = `${page.name}(${page.section})`
  let named
  return spans.map((span) => {
    if (span.kind === 'page') {
      named = span.text
      return index.has(span.text) && span.text !== here ? { ...span, to: { page: span.text } } : span
    }
    if (span.kind !== 'section') return span
    const own = index.get(here)?.get(span.text.toLowerCase())
    if (own !== undefined) return { ...span, to: { anchor: own } }
    const other = index.get(named)?.get(span.text.toLowerCase())
    return other === undefined ? span : { ...span, to: { page: named, anchor: other } }
  })
}

/** A synopsis as plain lines. */
export const synopsisText = ({ lines }) => `${lines.map(textOf).join('\n')}\n`
