// Converts the text of a page to Markdown: a list of passes. Hostile pages make it slow, so it runs in a worker with a deadline.

import type { Root } from 'hast'
import { fromParse5 } from 'hast-util-from-parse5'
import { type Options, toMdast } from 'hast-util-to-mdast'
import { gfmToMarkdown } from 'mdast-util-gfm'
import { type Handle, toMarkdown as printMarkdown } from 'mdast-util-to-markdown'
import { parse } from 'parse5'
import { headOf } from '../../../../call/cut-text.js'
import { markLanguages } from './code-languages.js'
import { convertDefinitions } from './definition-lists.js'
import { dropBlanks } from './drop-blanks.js'
import { convertFrames } from './frames.js'
import { limitDepth } from './limit-depth.js'
import { mainContent } from './main-content.js'
import { plainTables } from './plain-tables.js'
import { prune } from './prune.js'
import { documentBase, resolveLinks } from './resolve-links.js'
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
  const base = documentBase(tree, url)
  prune(tree)
  dropBlanks(tree)
  resolveLinks(tree, base)
  markLanguages(tree)
  convertDefinitions(tree)
  plainTables(tree)
  unmarkBlocks(tree)
  const content = convertFrames(tree, base) ?? mainContent(tree)
  const text = print(content) || (hasProgram ? MADE_LATER : EMPTY)
  return title === undefined || /^#\s/m.test(withoutFences(text)) ? text : `# ${escapeTitle(title)}\n\n${text}`
}

const EMPTY = '[The page has no text.]\n'
const MADE_LATER = '[The page has no text until its JavaScript has run, which is not done here; http_get gives it unchanged.]\n'

// A function of its own, so that the tree of parse5 can be collected before the rest begins.
const treeOf = (html: string): Root => {
  const document = parse(html)
  limitDepth(document)
  return fromParse5(document) as Root
}

const print = (tree: Root): string => {
  const handlers: Options['handlers'] = {
    // A Markdown table has no line breaks, so HTML's is used.
    br: (state) => (state.inTable ? { type: 'html', value: '<br>' } : { type: 'break' }),
    // <summary> may contain a heading.
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

// Without the escapes that prevent autolinks, such as 'http\://'.
const tables = (gfmToMarkdown({ tablePipeAlign: false }).extensions ?? []).filter(
  ({ unsafe }) => !unsafe?.some(({ character }) => character === '@'),
)

// Prints the marks without the character references that the library adds beside words.
const marked = (mark: string, other: string): Handle => {
  const handle: Handle = (node, _, state, info) => {
    const signs = info.before.endsWith('*') || info.after.startsWith('*') ? other : mark
    return signs + state.containerPhrasing(node, { ...state.createTracker(info).current(), before: signs, after: signs }) + signs
  }
  // peek gives the first character; without it the library prints the whole node for that, which is exponential in the depth.
  return Object.assign(handle, { peek: () => mark })
}

// A comment in code may look like a heading.
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

/** Call it before pruning. */
const titleOf = (tree: Root): string | undefined => {
  const meta = findElement(tree, (node) => node.tagName === 'meta' && property(node, 'property') === 'og:title')
  const own = findElement(tree, isNamed('title'))
  const title = (own ? textContent(own) : meta ? property(meta, 'content') : '').replace(/\s+/g, ' ').trim()
  return title === '' ? undefined : headOf(title, MAX_TITLE)
}
