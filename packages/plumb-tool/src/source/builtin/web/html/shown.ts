// What of a page a browser does not show, as far as the page itself says it: its style sheets are not read.

import type { Element, Root } from 'hast'
import { elementsIn, isNamed, property, textContent } from './tree.js'

export const isHidden = (node: Element): boolean =>
  !isWhole(node) && (isHiddenByAttribute(node) || isHiddenByClass(node) || isHiddenByStyle(node) || isLeftToEyes(node))

/** Programs show a page when it is ready, so what hides all of it hides nothing. */
const isWhole = (node: Element): boolean => isNamed('html', 'body', 'main')(node) || property(node, 'role') === 'main'

/** `until-found` is found by a search in the page. */
const isHiddenByAttribute = ({ properties }: Element): boolean =>
  'hidden' in properties && String(properties.hidden).toLowerCase() !== 'until-found'

const HIDDEN_CLASS = new RegExp(
  `(^|\\s)(${[
    ...['sr-only', 'visually-hidden', 'screen-reader-text', 'hidden', 'octicon', 'headerlink', 'anchorjs-link'],
    ...['line-numbers-rows', 'mw-editsection', 'mw-jump-link'],
  ].join('|')})(\\s|$)`,
)
/** `md:block` beside `hidden`: hidden on small screens alone. */
const SHOWN_FROM_A_WIDTH =
  /(?:^|\s)(?!print:|dark:|hover:|focus|active:|group-|noscript:)[@\w[\]().<>=-]+:!?(?:block|flex|grid|inline(?:-\w+)?|table(?:-[\w-]+)?|contents|flow-root|list-item|not-sr-only)(?=\s|$)/

const isHiddenByClass = (node: Element): boolean => {
  const names = property(node, 'className')
  // A code block itself is never hidden, only its gutter.
  return HIDDEN_CLASS.test(names) && !SHOWN_FROM_A_WIDTH.test(names) && !isNamed('article', 'pre')(node)
}

const isHiddenByStyle = (node: Element): boolean => {
  const style = property(node, 'style')
  return style !== '' && (/^none/.test(lastOf(style, DISPLAY)) || /^(hidden|collapse)/.test(lastOf(style, VISIBILITY)))
}

const DISPLAY = /(?:^|;)\s*display\s*:\s*([\w-]+)/gi
const VISIBILITY = /(?:^|;)\s*visibility\s*:\s*([\w-]+)/gi

const lastOf = (style: string, declaration: RegExp): string => [...style.matchAll(declaration)].at(-1)?.[1]?.toLowerCase() ?? ''

/** Of what screen readers leave out, signs and copies are left out here too; paragraphs are not. */
const isLeftToEyes = (node: Element): boolean =>
  property(node, 'ariaHidden') === 'true' && node.tagName !== 'img' && (!hasProse(node) || isOverlay(node) || isMostlyLinks(node))

const isProse = isNamed('p', 'li', 'dd', 'table', 'pre', 'blockquote', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6')

const hasProse = (node: Element): boolean => {
  for (const inner of elementsIn(node)) if (isProse(inner) && textContent(inner).trim() !== '') return true
  return isProse(node)
}

const isOverlay = (node: Element): boolean =>
  /^(alert)?dialog$|^menu/.test(property(node, 'role')) ||
  /(^|[\s_-])(modal|popup|clone[d]?|offcanvas)($|[\s_-])/i.test(property(node, 'className'))

/** Menus, breadcrumbs, tables of contents. */
export const isMostlyLinks = (node: Element): boolean => {
  const whole = lettersOf(node)
  let linked = 0
  for (const inner of elementsIn(node)) if (inner.tagName === 'a' && property(inner, 'href') !== '') linked += lettersOf(inner)
  return whole > 0 && linked > 0.6 * whole
}

/** The length of its text without white space. */
export const lettersOf = (node: Root | Element): number => textContent(node).replace(/\s+/g, '').length
