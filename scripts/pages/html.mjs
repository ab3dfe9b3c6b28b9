// A manual page as HTML, for the site: every id begins with the name of its page, since all pages are in one document.

import { anchorOf, synopsisText, termAnchorOf, withLinks } from './links.mjs'

/** The id of a page in the document, or of a place in it. */
export const idOf = (title, anchor) => `${title.replace(/\((\d)\)$/, '.$1')}${anchor === undefined ? '' : `--${anchor}`}`

export const articleOf = (page, index) => {
  const title = `${page.name}(${page.section})`
  const used = new Set()
  const context = {
    inline: (spans) => inline(withLinks(spans, page, index), title),
    /** An id that no other place of the page has, or none where the anchor is taken. */
    id: (anchor) => {
      if (anchor === undefined || used.has(anchor)) return ''
      used.add(anchor)
      return ` id="${attribute(idOf(title, anchor))}"`
    },
    title,
  }
  const write = (blocks) => blocks.map((block) => WRITERS[block.kind](block, context, write)).join('\n')
  return `<article id="${attribute(idOf(title))}" data-title="${attribute(title)}">
<h1>${text(title)}</h1>
<p class="about">${text(page.about)}</p>
${write(page.blocks)}
</article>`
}

const WRITERS = {
  heading: ({ level, text: words }, { id, title }) => {
    const anchor = anchorOf(words)
    const link = `<a class="here" href="#${attribute(idOf(title, anchor))}" aria-label="Link to ${attribute(words)}">#</a>`
    return `<h${level}${id(anchor)}>${text(words)} ${link}</h${level}>`
  },
  paragraph: ({ spans }, { inline }) => `<p>${inline(spans)}</p>`,
  code: (block) => listing(block.text, block.language, block.file),
  synopsis: (block) => listing(synopsisText(block), 'text'),
  table: ({ head, rows, widths }, { inline }) => {
    const cell = (text, tag) => (text === '' ? '<td></td>' : `<${tag}>${text}</${tag}>`)
    const row = (cells, tag) =>
      `<tr>${Array.from({ length: widths.length + 1 }, (_, i) => cell(inline(cells[i] ?? []), tag)).join('')}</tr>`
    const top = head === undefined ? '' : `<thead>${row(head, 'th')}</thead>`
    return `<div class="table" tabindex="0"><table>${top}<tbody>${rows.map((cells) => row(cells, 'td')).join('\n')}</tbody></table></div>`
  },
  list: ({ ordered, items }, _, write) => {
    const tag = ordered ? 'ol' : 'ul'
    return `<${tag}>${items.map((blocks) => `<li>${write(blocks)}</li>`).join('\n')}</${tag}>`
  },
  terms: ({ items }, { inline, id }, write) =>
    `<dl>${items.map(({ term, blocks }) => `<dt${id(termAnchorOf(term))}>${inline(term)}</dt><dd>${write(blocks)}</dd>`).join('\n')}</dl>`,
}

/** A listing with its name and a button that copies it: of a session the commands alone. What is wider than the page is scrolled by keys too. */
const listing = (code, language, file) => {
  const name = file === undefined ? '' : `<figcaption>${text(file)}</figcaption>`
  return `<figure class="listing" data-language="${language}">${name}<button type="button" class="copy">Copy</button><pre tabindex="0"><code>${coloured(code, language)}</code></pre></figure>`
}

const WORDS = {
  plumb:
    /("(?:[^"\\\n]|\\.)*")|(#[^\n]*)|\b(let|type|use|param|agent|tool|plumb|test|of|spawn|channel|if|then|else|for|in|and|or|not|true|false|null|untrusted|secret)\b/g,
  json: /("(?:[^"\\\n]|\\.)*")|(#[^\n]*)|\b(true|false|null)\b/g,
  python: /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(#[^\n]*)|\b(import|from|for|in|if|else|def|return|while|with|as|None|True|False)\b/g,
  js: /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(\/\/[^\n]*)|\b(import|from|export|const|let|for|of|if|else|return|await|async|function|new|true|false|null)\b/g,
}
WORDS.ts = WORDS.js

const CLASSES = ['string', 'comment', 'word']

const coloured = (code, language) => {
  if (language === 'console') return text(code).replace(/^(\$|&gt;) (.*)$/gm, '<i class="prompt">$1 </i><b>$2</b>')
  const words = WORDS[language]
  if (words === undefined) return text(code)
  let result = ''
  let at = 0
  for (const match of code.matchAll(words)) {
    const kind = CLASSES[match.slice(1).findIndex((group) => group !== undefined)]
    result += `${text(code.slice(at, match.index))}<i class="${kind}">${text(match[0])}</i>`
    at = match.index + match[0].length
  }
  return result + text(code.slice(at))
}

const inline = (spans, title) => spans.map((span, i) => `${span.space && i > 0 ? ' ' : ''}${marked(span, title)}`).join('')

const marked = (span, title) => {
  const words = text(span.text)
  const tag = { code: 'code', em: 'em', strong: 'strong' }[span.kind]
  if (tag !== undefined) return `<${tag}>${words}</${tag}>`
  const href = span.href ?? (span.to === undefined ? undefined : `#${idOf(span.to.page ?? title, span.to.anchor)}`)
  return href === undefined ? words : `<a href="${attribute(href)}">${words}</a>`
}

const text = (words) => words.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign])
const attribute = (words) => text(words).replaceAll('"', '&quot;')
