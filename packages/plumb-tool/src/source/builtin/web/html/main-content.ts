// Extracts the main content of a page, without navigation and other parts that all pages of a site share.

import { Readability } from '@mozilla/readability'
import type { Element, Root, Text } from 'hast'
import { toHtml } from 'hast-util-to-html'
import { parseHTML } from 'linkedom'
import { removeMenus, removeSurroundings } from './surroundings.js'
import { element, elementsIn, isNamed, property, replaceElements, textContent } from './tree.js'

/** The content that Readability finds must be at least this share of the text around it. */
const MIN_SHARE = 0.3
const MARK = 'dataPlumbPlace'
const ATTRIBUTE = 'data-plumb-place'
/** Readability takes too long on larger pages. */
const MAX_ELEMENTS = 20_000

export const mainContent = (tree: Root): Root => {
  const marked = findMarkedContent(tree)
  if (marked) removeMenus(marked)
  else removeSurroundings(tree)
  const content = marked ?? guessContent(tree)
  if (content) return { type: 'root', children: [element('div', {}, ...content.children)] }
  removeLeadingLinks(tree)
  return tree
}

/** The only <main>, `.markdown-body` or <article> of the page. */
const findMarkedContent = (tree: Root): Element | undefined => {
  const all = [...elementsIn(tree)]
  const whole = lengthOf(tree)
  const candidates = [
    all.filter((node) => node.tagName === 'main' || property(node, 'role') === 'main'),
    all.filter((node) => property(node, 'className').split(' ').includes('markdown-body')),
    all.filter(isNamed('article')),
  ]
  return candidates.find(([first, ...others]) => first && others.length === 0 && lengthOf(first) > 0.2 * whole)?.[0]
}

/** Removes link lists after the title; those before it are removed elsewhere. */
const removeLeadingLinks = (tree: Root): void => {
  const all = [...elementsIn(tree)]
  const title = all.findIndex(isNamed('h1'))
  const rest = new Set(all.slice(Math.max(title, 0)))
  removeLinkLists(tree, (node) => rest.has(node))
}

/** Uses Readability only to locate the text; its output, which drops titles and changes headings, is not used. */
const guessContent = (tree: Root): Element | undefined => {
  const all = [...elementsIn(tree)]
  if (all.length > MAX_ELEMENTS) return undefined
  for (const [i, node] of all.entries()) node.properties[MARK] = String(i)
  const { document } = parseHTML(toHtml(tree))
  for (const node of all) delete node.properties[MARK]
  // The serializer returns the element as it is, since serializing and parsing again would double the time.
  const found = new Readability<Found>(document, { keepClasses: true, charThreshold: 200, serializer: (found: Found) => found }).parse()
  if (!found?.content) return undefined
  const survivors = new Set<Element>()
  for (const node of found.content.querySelectorAll(`[${ATTRIBUTE}]`)) {
    const original = all[Number(node.getAttribute(ATTRIBUTE))]
    if (original && hasOwnText(original)) survivors.add(original)
  }
  const heading = all.find(isNamed('h1'))
  const around = findInnermost(tree, new Set(heading ? [...survivors, heading] : survivors))
  if (!around || sum(survivors) < MIN_SHARE * lengthOf(around)) return undefined
  removeLinkLists(around, (node) => survivors.has(node))
  return around
}

/** The members of Readability's elements that are used here. */
interface Found {
  querySelectorAll(selector: string): Iterable<{ getAttribute(name: string): string | null }>
}

const hasOwnText = ({ children }: Element): boolean => children.some((child) => child.type === 'text' && child.value.trim() !== '')

const sum = (nodes: Iterable<Element>): number => {
  let length = 0
  for (const { children } of nodes) for (const child of children) if (child.type === 'text') length += lengthOf(child)
  return length
}

const isContainer = isNamed('div', 'section', 'article', 'main', 'center', 'form', 'body')

/** The smallest container of all wanted elements. */
const findInnermost = (tree: Root, wanted: ReadonlySet<Element>): Element | undefined => {
  let found: Element | undefined
  const count = (node: Element): number => {
    let inside = wanted.has(node) ? 1 : 0
    for (const child of node.children) if (child.type === 'element') inside += count(child)
    if (inside === wanted.size && isContainer(node)) found ??= node
    return inside
  }
  if (wanted.size > 0) for (const child of tree.children) if (child.type === 'element') count(child)
  return found
}

/** Removes menus and lists of links inside the text. */
const removeLinkLists = (tree: Root | Element, isKept: (node: Element) => boolean): void =>
  replaceElements(tree, (node) => {
    if (isKept(node) || !isNamed('ul', 'ol', 'div', 'section', 'p', 'table')(node)) return undefined
    const inside = [...elementsIn(node)]
    if (inside.some((inner) => isKept(inner) || inner.tagName === 'h1')) return undefined
    const linked = inside.filter(isNamed('a')).reduce((length, link) => length + lengthOf(link), 0)
    return linked > 0.7 * lengthOf(node) ? [] : undefined
  })

const lengthOf = (node: Root | Element | Text): number => textContent(node).replace(/\s+/g, '').length
