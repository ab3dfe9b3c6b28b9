// Removes what is not for reading: scripts, styles, what a browser does not show. What shows other pages becomes a link.

import type { Element, ElementContent, Root } from 'hast'
import { keepControls } from './controls.js'
import { isHidden, lettersOf } from './shown.js'
import { element, elementsIn, findElement, isNamed, property, replaceElements, textContent } from './tree.js'

const GONE = new Set([
  ...['script', 'style', 'noscript', 'svg', 'canvas', 'object', 'embed', 'applet', 'audio', 'video', 'map'],
  ...['link', 'meta', 'colgroup', 'wbr', 'datalist'],
])

/** Returns how many letters were hidden. With `isAllShown`, hidden elements stay. */
export const prune = (tree: Root, isAllShown = false): number => {
  let hidden = 0
  replaceElements(tree, (node) => {
    if (isNamed('td', 'th')(node)) nameIcons(node)
    if (GONE.has(node.tagName)) return []
    if (node.tagName === 'dialog' && !('open' in node.properties)) return []
    if (node.tagName === 'template') return shadowOf(node)
    if (isHidden(node) && !isAllShown) {
      hidden += lettersOf(node)
      return []
    }
    if (node.tagName === 'menu') node.tagName = 'ul'
    if (node.tagName === 'dialog') node.tagName = 'div'
    if (node.tagName === 'iframe') return linkTo(node)
    if (node.tagName === 'sup' && EXPONENT.test(textContent(node)) && !findElement(node, isNamed('a')))
      return [{ type: 'text', value: `^${textContent(node)}` }]
    return undefined
  })
  keepControls(tree)
  return hidden
}

/** An exponent, so that 10^-5 does not become 10-5. A linked superscript is a footnote. */
const EXPONENT = /^[+\-\u2212]?(\d+|[a-z])$/i

/** In a table, an icon alone in its cell is the value: it is written as screen readers say it. */
const nameIcons = (cell: Element): void => {
  const all = [...elementsIn(cell)]
  if (all.length === 0 || all.length > MAX_PARTS_OF_ICONS || all.some((node) => isNamed('img', 'table', 'input')(node))) return
  const unseen = all.filter((node) => isHidden(node) || isNamed('svg')(node))
  if (unseen.length === 0 || lettersOf(cell) > unseen.reduce((sum, node) => sum + lettersOf(node), 0)) return
  const names = all.map((node) => (isSpoken(node) ? textContent(node) : property(node, 'ariaLabel') || property(node, 'title')).trim())
  const name = names.find((text) => text !== '') ?? textContent(cell).trim()
  if (name !== '') cell.children = [{ type: 'text', value: name }]
}

const MAX_PARTS_OF_ICONS = 12

const isSpoken = (node: Element): boolean =>
  node.tagName === 'title' || /(^|\s)(sr-only|visually-hidden|screen-reader-text)(\s|$)/.test(property(node, 'className'))

/** A shadow root that is written in the page is shown in place of its template. */
const shadowOf = (template: Element): readonly ElementContent[] => {
  const isRoot = 'shadowRootMode' in template.properties || 'shadowrootmode' in template.properties
  return isRoot ? ((template.content?.children ?? []) as ElementContent[]) : []
}

/** An embedded page becomes a link. */
const linkTo = (frame: Element): readonly ElementContent[] => {
  const source = property(frame, 'src')
  if (source === '' || source.startsWith('about:')) return []
  const name = property(frame, 'title') || property(frame, 'name') || source
  return [element('p', {}, element('a', { href: source }, { type: 'text', value: name }))]
}
