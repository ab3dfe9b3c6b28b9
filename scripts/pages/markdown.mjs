// A manual page as Markdown, as GitHub and models read it: one title, real tables, code in fences with its language.

import { synopsisText, termAnchorOf, withLinks } from './links.mjs'

export const markdownOf = (page, index) => {
  const title = `${page.name}(${page.section})`
  const used = new Set()
  /** Of several terms of one name the first has the anchor. */
  const anchored = (term) => {
    const anchor = termAnchorOf(term)
    if (anchor === undefined || used.has(anchor)) return ''
    used.add(anchor)
    return `<a id="${anchor}"></a>`
  }
  const write = (blocks) => blocks.map((block) => WRITERS[block.kind](block, spansAsText, write, anchored)).join('\n\n')
  const spansAsText = (spans) => inline(withLinks(spans, page, index))
  return `# ${title}\n\n${escape(page.about)}\n\n${write(page.blocks)}\n`
}

const WRITERS = {
  heading: ({ level, text }) => `${'#'.repeat(level)} ${escape(text)}`,
  paragraph: ({ spans }, spansAsText) => guarded(spansAsText(spans)),
  code: (block) => `${block.file === undefined ? '' : `\`${block.file}\`:\n\n`}${fenced(block.text, block.language)}`,
  synopsis: (block) => fenced(synopsisText(block), 'text'),
  table: (block, spansAsText) => tableAsText(block, spansAsText),
  list: ({ ordered, items }, _, write) => items.map((blocks, i) => indented(ordered ? `${i + 1}. ` : '- ', write(blocks))).join('\n'),
  terms: ({ items }, spansAsText, write, anchored) =>
    items
      .map(({ term, blocks }) => {
        const head = `${anchored(term)}${spansAsText(term)}`
        return indented('- ', blocks.length === 0 ? head : `${head}\n\n${write(blocks)}`)
      })
      .join('\n'),
}

const indented = (mark, text) => `${mark}${text.replace(/\n(?!\n)/g, `\n${' '.repeat(mark.length)}`).replace(/^ +$/gm, '')}`

/** A fence that is longer than any in the text. */
const fenced = (text, language) => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}${fence}`
}

const tableAsText = ({ head, rows, widths }, spansAsText) => {
  const count = widths.length + 1
  const row = (cells) => `| ${Array.from({ length: count }, (_, i) => spansAsText(cells[i] ?? []).replaceAll('|', '\\|')).join(' | ')} |`
  return [row(head ?? []), `|${' --- |'.repeat(count)}`, ...rows.map(row)].join('\n')
}

const inline = (spans) => spans.map((span, i) => `${span.space && i > 0 ? ' ' : ''}${MARKS[span.kind](span)}`).join('')

const linked = (text, { to, href }) => {
  if (href !== undefined) return `[${text}](${href})`
  if (to === undefined) return text
  const file = to.page === undefined ? '' : `${to.page.replace(/\((\d)\)$/, '.$1')}.md`
  return `[${text}](${file}${to.anchor === undefined ? '' : `#${to.anchor}`})`
}

const MARKS = {
  text: ({ text }) => escape(text),
  code: ({ text }) => codeAsText(text),
  em: ({ text }) => `*${escape(text)}*`,
  strong: ({ text }) => `**${escape(text)}**`,
  section: (span) => linked(escape(span.text), span),
  page: (span) => linked(span.text, span),
  link: (span) => linked(escape(span.text), span),
}

const codeAsText = (text) => {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const ticks = '`'.repeat(longest + 1)
  const pad = longest > 0 || /^ .* $/.test(text) ? ' ' : ''
  return `${ticks}${pad}${text}${pad}${ticks}`
}

/** What Markdown would take for marks; an underscore within a word is none. */
const escape = (text) =>
  text
    .replace(/[\\*`<[\]]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/&(?=#?\w+;)/g, '&amp;')

/** A paragraph that begins as a list, a heading or a quotation does is none. */
const guarded = (text) =>
  text.replace(/^([#>+-]|\d+[.)])(?=\s|$)/, (mark) => (mark.length > 1 ? mark.replace(/[.)]$/, '\\$&') : `\\${mark}`))
