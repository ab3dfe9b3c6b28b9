// Converts the text of a page to Markdown: a list of passes. Hostile pages make it slow, so it runs in a worker with a deadline.

import type { Root } from 'hast'
import { fromParse5 } from 'hast-util-from-parse5'
import { parse } from 'parse5'
import { headOf } from '../../../../call/cut-text.js'
import { type Refresh, sayRefresh } from '../refresh.js'
import { markLanguages } from './code-languages.js'
import { convertDefinitions } from './definition-lists.js'
import { dropBlanks } from './drop-blanks.js'
import { findRefresh } from './find-refresh.js'
import { convertFormulas } from './formulas.js'
import { convertFrames } from './frames.js'
import { limitDepth } from './limit-depth.js'
import { mainContent } from './main-content.js'
import { plainTables } from './plain-tables.js'
import { escapeLine, printMarkdown } from './print-markdown.js'
import { prune } from './prune.js'
import { documentBase, resolveLinks } from './resolve-links.js'
import { openTabs } from './tabs.js'
import { findElement, isNamed, property, textContent } from './tree.js'
import { unmarkBlocks } from './unmark-blocks.js'

export interface HtmlPage {
  readonly html: string
  /** Where it came from: what its links are relative to. */
  readonly url: string
}

export interface ConvertedPage {
  readonly markdown: string
  /** Where a browser would go on by itself. */
  readonly refresh?: Refresh
}

export const toMarkdown = (page: HtmlPage): string => convertPage(page).markdown

export const convertPage = (page: HtmlPage): ConvertedPage => {
  const { title, text, refresh, hasProgram, hidden } = textOf(page, false)
  // What a program would show is better than nothing, or than the word that it loads.
  const shown = text.length < LITTLE && hidden > MUCH_MORE * text.length ? textOf(page, true).text : ''
  const words = shown === '' ? text : `${SHOWN_LATER}\n${shown}`
  const goesOn = refresh && (!refresh.isWithoutProgram || words === '')
  const body = words || (goesOn ? '' : hasProgram ? MADE_LATER : EMPTY)
  const heading = title === undefined || /^#\s/m.test(withoutFences(body)) ? '' : `# ${escapeLine(title)}\n\n`
  const onward = goesOn ? `${body === '' ? '' : '\n'}${sayRefresh(refresh)}\n` : ''
  return { markdown: `${heading}${body}${onward}`, ...(goesOn ? { refresh } : {}) }
}

interface PageText {
  readonly title: string | undefined
  readonly text: string
  readonly refresh: Refresh | undefined
  readonly hasProgram: boolean
  /** Letters in what a browser does not show at first. */
  readonly hidden: number
}

const textOf = ({ html, url }: HtmlPage, isAllShown: boolean): PageText => {
  const tree = treeOf(html)
  const title = titleOf(tree)
  const hasProgram = findElement(tree, isNamed('script')) !== undefined
  const base = documentBase(tree, url)
  const refresh = findRefresh(tree, base, url)
  openTabs(tree)
  convertFormulas(tree)
  const hidden = prune(tree, isAllShown)
  dropBlanks(tree)
  resolveLinks(tree, base)
  markLanguages(tree)
  convertDefinitions(tree)
  plainTables(tree)
  unmarkBlocks(tree)
  const text = printMarkdown(convertFrames(tree, base) ?? mainContent(tree))
  return { title, text, refresh, hasProgram, hidden }
}

/** In characters: less than this may be no more than the word that a page loads. */
const LITTLE = 200
const MUCH_MORE = 10
const EMPTY = '[The page has no text.]\n'
const MADE_LATER = '[The page has no text until its JavaScript has run, which is not done here; http_get gives it unchanged.]\n'
const SHOWN_LATER = '[The page hides this, or most of it, until its JavaScript has run.]\n'

// A function of its own, so that the tree of parse5 can be collected before the rest begins.
const treeOf = (html: string): Root => {
  const document = parse(html)
  limitDepth(document)
  return fromParse5(document) as Root
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

const MAX_TITLE = 300

/** Call it before pruning. */
const titleOf = (tree: Root): string | undefined => {
  const meta = findElement(tree, (node) => node.tagName === 'meta' && property(node, 'property') === 'og:title')
  const own = findElement(tree, isNamed('title'))
  const title = (own ? textContent(own) : meta ? property(meta, 'content') : '').replace(/\s+/g, ' ').trim()
  return title === '' ? undefined : headOf(title, MAX_TITLE)
}
