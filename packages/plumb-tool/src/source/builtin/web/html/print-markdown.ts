// Prints a tree of HTML elements as Markdown that renders as the page did.

import type { Root } from 'hast'
import { defaultHandlers, type Options, toMdast } from 'hast-util-to-mdast'
import type { InlineCode, ListItem, Nodes } from 'mdast'
import { gfmToMarkdown } from 'mdast-util-gfm'
import { type Handle, type Join, toMarkdown } from 'mdast-util-to-markdown'
import { FORMULA } from './formulas.js'
import { APART, splitParagraphs, trimText } from './trim-text.js'

export const printMarkdown = (tree: Root): string => {
  const markdown = toMdast(tree, { handlers: FROM_HTML, nodeHandlers: { comment: () => undefined } })
  splitParagraphs(markdown)
  trimText(markdown)
  tightenLists(markdown)
  return toMarkdown(markdown, {
    bullet: '-',
    rule: '-',
    fences: true,
    listItemIndent: 'one',
    resourceLink: true,
    handlers: { strong: marked('**', '__'), emphasis: marked('*', '_') },
    join: [aroundTables],
    extensions: [{ extensions: TABLES }],
  })
}

/** One line of text. */
export const escapeLine = (text: string): string => toMarkdown({ type: 'paragraph', children: [{ type: 'text', value: text }] }).trim()

type FromHtml = NonNullable<NonNullable<Options['handlers']>[string]>

const inlineCode = defaultHandlers.code as FromHtml

/** A key or a formula, which is seen apart from what stands beside it. */
const apart: FromHtml = (state, node, parent) => ({ ...(inlineCode(state, node, parent) as InlineCode), data: APART })

const FROM_HTML: Options['handlers'] = {
  // A Markdown table has no line breaks, so HTML's is used.
  br: (state) => (state.inTable ? { type: 'html', value: '<br>' } : { type: 'break' }),
  // <summary> may contain a heading.
  summary: (state, node) => state.toFlow(state.all(node)),
  kbd: apart,
  code: (state, node, parent) => (FORMULA in node.properties ? apart : inlineCode)(state, node, parent),
}

// Without the escapes that prevent autolinks, such as 'http\\://'.
const TABLES = (gfmToMarkdown({ tablePipeAlign: false }).extensions ?? []).filter(
  ({ unsafe }) => !unsafe?.some(({ character }) => character === '@'),
)

/** Blank lines only between paragraphs of one item: the margins of a page say nothing. */
const tightenLists = (node: Nodes): void => {
  if (!('children' in node)) return
  for (const child of node.children) tightenLists(child)
  if (node.type === 'listItem') node.spread = false
  if (node.type === 'list') node.spread = node.children.some(isLong)
}

const isLong = ({ children }: ListItem): boolean =>
  children.slice(1).some(({ type }) => type === 'paragraph' || type === 'table' || type === 'heading')

/** A line directly above would be the head of the table, and one directly below a row of it. */
const aroundTables: Join = (left, right) => (left.type === 'table' || right.type === 'table' ? 1 : undefined)

// Prints the marks without the character references that the library adds beside words.
const marked = (mark: string, other: string): Handle => {
  const handle: Handle = (node, _, state, info) => {
    const isBesideMark = info.before.endsWith('*') || info.after.startsWith('*')
    // Underscores within a word are no marks.
    const signs = isBesideMark && !isWord(info.before.slice(-1)) && !isWord(info.after.slice(0, 1)) ? other : mark
    return signs + state.containerPhrasing(node, { ...state.createTracker(info).current(), before: signs, after: signs }) + signs
  }
  // peek gives the first character; without it the library prints the whole node for that, which is exponential in the depth.
  return Object.assign(handle, { peek: () => mark })
}

const isWord = (character: string): boolean => /[\p{L}\p{N}_]/u.test(character)
