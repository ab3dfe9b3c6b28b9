// Removes the parts that all pages of a site share: navigation, side bars, headers and footers of the site.

import type { Element, Root } from 'hast'
import { isMostlyLinks } from './shown.js'
import { childElements, elementsIn, isNamed, property, replaceElements } from './tree.js'

/** For a page whose content is not marked as such. */
export const removeSurroundings = (tree: Root): void => {
  const amidText = findAmidText(tree)
  replaceElements(tree, (node) => {
    if (isNavigation(node)) return []
    if (isNamed('article', 'section', 'blockquote', 'figure', 'td')(node) || amidText.has(node)) {
      removeMenus(node)
      return isPartOfSite(node) && isMenu(node) ? [] : [node]
    }
    // The header of a page may contain its title.
    return isPartOfSite(node) && !(node.tagName === 'header' && hasTitle(node)) ? [] : undefined
  })
}

/** For the content itself: its asides, headers and footers are read, unless they are lists of links. */
export const removeMenus = (content: Root | Element): void =>
  replaceElements(content, (node) => (isNavigation(node) || (isPartOfSite(node) && isMenu(node)) ? [] : undefined))

const NAVIGATION = /^((site|page)-)?breadcrumbs?$|^cookie-(banner|consent|notice)$/
const PART_OF_SITE = /^((site|page)-)?(footer|sidebar)$/

const hasName = (node: Element, names: RegExp): boolean =>
  node.tagName === 'div' && [...property(node, 'className').split(' '), property(node, 'id')].some((name) => names.test(name))

const isNavigation = (node: Element): boolean =>
  node.tagName === 'nav' || /^(navigation|banner|contentinfo|search)$/.test(property(node, 'role')) || hasName(node, NAVIGATION)

const isPartOfSite = (node: Element): boolean =>
  isNamed('header', 'footer', 'aside')(node) || property(node, 'role') === 'complementary' || hasName(node, PART_OF_SITE)

const hasTitle = (node: Element): boolean => [...elementsIn(node)].some(isNamed('h1', 'h2'))

/** A note may be no more than a link. */
const MIN_LINKS = 3

const isMenu = (node: Element): boolean =>
  !(node.tagName === 'header' && hasTitle(node)) && [...elementsIn(node)].filter(isNamed('a')).length >= MIN_LINKS && isMostlyLinks(node)

const isProse = isNamed('p', 'pre', 'table', 'ul', 'ol', 'dl', 'blockquote', 'h2', 'h3', 'h4', 'h5', 'h6')

/** Asides with paragraphs, lists or headings beside them: notes, not side bars. */
const findAmidText = (tree: Root): ReadonlySet<Element> => {
  const found = new Set<Element>()
  for (const parent of elementsIn(tree)) {
    const inside = childElements(parent)
    if (inside.some(isProse)) for (const child of inside) if (child.tagName === 'aside') found.add(child)
  }
  return found
}
