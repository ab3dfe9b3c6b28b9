// Moves blocks out of inline marks and paragraphs, turns blocks in headings into text, and keeps words apart where an empty block stands.

import type { Element, ElementContent, Root, RootContent } from 'hast'
import { element, elementsIn, isNamed, replaceElements, textContent } from './tree.js'

const isMark = isNamed('strong', 'b', 'em', 'i', 'u', 'mark', 's', 'strike', 'del', 'ins', 'small', 'cite', 'big', 'font')
const isBlock = isNamed('p', 'div', 'ul', 'ol', 'li', 'table', 'pre', 'blockquote', 'hr', 'section', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6')

const isHeading = isNamed('h1', 'h2', 'h3', 'h4', 'h5', 'h6')

export const unmarkBlocks = (tree: Root): void => {
  breakAtEmpty(tree)
  unmark(tree)
}

const unmark = (tree: Root): void =>
  replaceElements(tree, (node) => {
    // Without a doctype, a paragraph may contain a table.
    if ((isMark(node) || node.tagName === 'p') && hasBlock(node)) return [element('div', {}, ...node.children)]
    if (isHeading(node)) {
      const parts = splitUnclosed(node)
      if (parts) return parts
      const space = { type: 'text' as const, value: ' ' }
      replaceElements(node, (inner) => (isBlock(inner) || inner.tagName === 'br' ? [space, ...inner.children, space] : undefined))
    }
    return undefined
  })

const isEmptyable = isNamed('p', 'div', 'ul', 'ol', 'dl', 'section', 'article', 'header', 'footer', 'aside', 'figure', 'form', 'center')

/** An empty block between words ends the line there, or is a space within a heading, a mark or a link. */
const breakAtEmpty = (parent: Root | Element, isLine = false): void => {
  const { children } = parent
  const kept = children.flatMap((child, i): (typeof children)[number][] => {
    if (child.type !== 'element') return [child]
    if (isEmptyable(child) && isEmpty(child) && isWords(children[i - 1]) && isWords(children[i + 1])) {
      return isLine ? [{ type: 'text', value: ' ' }] : [element('br', {}), element('br', {})]
    }
    breakAtEmpty(child, isLine || isHeading(child) || isMark(child) || child.tagName === 'a')
    return [child]
  })
  if (kept.length > children.length || isLine) parent.children = kept as typeof parent.children
}

const isWords = (node: RootContent | undefined): boolean =>
  node !== undefined && (node.type === 'text' || (node.type === 'element' && !isBlock(node) && node.tagName !== 'br'))

const isEmpty = (node: Element): boolean =>
  node.children.every((child) =>
    child.type === 'text' ? child.value.trim() === '' : child.type !== 'element' || (!isSeen(child) && isEmpty(child)),
  )

const isSeen = isNamed('img', 'hr', 'iframe', 'input', 'table', 'pre')

/** Splits a heading with blocks inside, as after a missing end tag, into the heading and the rest. */
const splitUnclosed = (heading: Element): readonly Element[] | undefined => {
  const at = heading.children.findIndex((child, i) => child.type === 'element' && isBlock(child) && i > 0)
  if (at < 0) return undefined
  const [own, rest] = [heading.children.slice(0, at), heading.children.slice(at)]
  const blocks = rest.filter((child) => child.type === 'element' && isBlock(child))
  const isMeant = blocks.length === 1 && !hasHeavy(rest) && lengthOf(rest) <= MAX_SUBTITLE
  if (isMeant || lengthOf(own) === 0) return undefined
  return [element(heading.tagName, heading.properties, ...own), element('div', {}, ...rest)]
}

/** A heading may contain a short second block, such as the author. */
const MAX_SUBTITLE = 200
const isHeavy = isNamed('ul', 'ol', 'dl', 'table', 'pre', 'blockquote', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6')

const hasHeavy = (children: readonly ElementContent[]): boolean =>
  children.some((child) => child.type === 'element' && (isHeavy(child) || [...elementsIn(child)].some(isHeavy)))

const lengthOf = (children: readonly ElementContent[]): number => textContent({ type: 'root', children: [...children] }).trim().length

const hasBlock = (node: Parameters<typeof isBlock>[0]): boolean => {
  for (const inner of elementsIn(node)) if (isBlock(inner)) return true
  return false
}
