// From the text of a page to Markdown: a visible list of passes. Slow on hostile pages, so it runs in a thread with a deadline.

import type { Root } from 'hast'
import { fromParse5 } from 'hast-util-from-parse5'
import { type Options, toMdast } from 'hast-util-to-mdast'
import { gfmToMarkdown } from 'mdast-util-gfm'
import { type Handle, toMarkdown as printMarkdown } from 'mdast-util-to-markdown'
import { parse } from 'parse5'
import { markLanguages } from './code-languages.js'
import { listDefinitions } from './definition-lists.js'
import { dropBlanks } from './drop-blanks.js'
import { framesOf } from './frames.js'
import { limitDepth } from './limit-depth.js'
import { mainContent } from './main-content.js'
import { plainTables } from './plain-tables.js'
import { prune } from './prune.js'
import { baseOf, resolveLinks } from './resolve-links.js'
import { findElement, isNamed, property, textContent } from './tree.js'
import { splitParagraphs, trimText } from './trim-text.js'
import { unmarkBlocks } from './unmark-blocks.js'

export interface HtmlPage {
  readonly html: string
  /** Where it came from: what its links are relative to. */
  readonly url: string
}

export const toMarkdown = ({ html, url }: HtmlPage): string => {
  const tree = treeOf(html)
  const title = titleOf(tree)
  const hasProgram = findElement(tree, isNamed('script')) !== undefined
  const base = baseOf(tree, url)
  prune(tree)
  dropBlanks(tree)
  resolveLinks(tree, base)
  markLanguages(tree)
  listDefinitions(tree)
  plainTables(tree)
  unmarkBlocks(tree)
  const content = framesOf(tree, base) ?? mainContent(tree)
  const text = print(content) || (hasProgram ? MADE_LATER : EMPTY)
  return title === undefined || /^#\s/m.test(withoutFences(text)) ? text : `# ${escapeTitle(title)}\n\n${text}`
}

const EMPTY = '[The page has no text.]\n'
const MADE_LATER = '[The page has no text until its JavaScript has run, which is not done here; http_get gives it as it is.]\n'

// In a function of its own, so that what parse5 made is gone before the rest begins.
const treeOf = (html: string): Root => {
  const document = parse(html)
  limitDepth(document)
  return fromParse5(document) as Root
}

const print = (tree: Root): string => {
  const handlers: Options['handlers'] = {
    // What Markdown has no line for in a table has one in HTML.
    br: (state) => (state.inTable ? { type: 'html', value: '<br>' } : { type: 'break' }),
    // It may hold a heading.
    summary: (state, node) => state.toFlow(state.all(node)),
  }
  const markdown = toMdast(tree, { handlers, nodeHandlers: { comment: () => undefined } })
  splitParagraphs(markdown)
  trimText(markdown)
  return printMarkdown(markdown, {
    bullet: '-',
    rule: '-',
    fences: true,
    listItemIndent: 'one',
    resourceLink: true,
    handlers: { strong: marked('**', '__'), emphasis: marked('*', '_') },
    extensions: [{ extensions: tables }],
  })
}

// Without what keeps addresses in a text from being links: 'http\://' helps nobody.
const tables = (gfmToMarkdown({ tablePipeAlign: false }).extensions ?? []).filter(
  ({ unsafe }) => !unsafe?.some(({ character }) => character === '@'),
)

// As it is read: a renderer that wants white space beside its marks gets none, and no letter becomes a number for it.
const marked = (mark: string, other: string): Handle => {
  const handle: Handle = (node, _, state, info) => {
    const signs = info.before.endsWith('*') || info.after.startsWith('*') ? other : mark
    return signs + state.containerPhrasing(node, { ...state.createTracker(info).current(), before: signs, after: signs }) + signs
  }
  // Who stands before it wants to know how it begins; without this all that is in it would be printed for that, and twice as much each level deeper.
  return Object.assign(handle, { peek: () => mark })
}

// A comment in a program may look like a heading.
const withoutFences = (text: string): string => {
  let fence: string | undefined
  const isOutside = (line: string): boolean => {
    const [, mark] = /^ *(`{3,}|~{3,})/.exec(line) ?? []
    if (fence === undefined && mark === undefined) return true
    if (fence === undefined) fence = mark
    else if (mark?.startsWith(fence)) fence = undefined
    return false
  }
  return text.split('\n').filter(isOutside).join('\n')
}

const escapeTitle = (title: string): string => printMarkdown({ type: 'paragraph', children: [{ type: 'text', value: title }] }).trim()

const MAX_TITLE = 300

/** Before anything is pruned. */
const titleOf = (tree: Root): string | undefined => {
  const meta = findElement(tree, (node) => node.tagName === 'meta' && property(node, 'property') === 'og:title')
  const own = findElement(tree, isNamed('title'))
  const title = (own ? textContent(own) : meta ? property(meta, 'content') : '').replace(/\s+/g, ' ').trim()
  return title === '' ? undefined : title.slice(0, MAX_TITLE)
}
