// Blocks where Markdown has none: those in bold or italic stay, those in a heading become words of it.

import type { Root } from 'hast'
import { element, elementsIn, isNamed, replaceElements } from './walk.js'

const isMark = isNamed('strong', 'b', 'em', 'i', 'u', 'mark', 's', 'strike', 'del', 'ins', 'small', 'cite', 'big', 'font')
const isBlock = isNamed('p', 'div', 'ul', 'ol', 'li', 'table', 'pre', 'blockquote', 'hr', 'section', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6')

const isHeading = isNamed('h1', 'h2', 'h3', 'h4', 'h5', 'h6')

export const unmarkBlocks = (tree: Root): void =>
  replaceElements(tree, (node) => {
    if (isMark(node) && hasBlock(node)) return [element('div', {}, ...node.children)]
    if (isHeading(node)) {
      const space = { type: 'text' as const, value: ' ' }
      replaceElements(node, (inner) => (isBlock(inner) || inner.tagName === 'br' ? [space, ...inner.children, space] : undefined))
    }
    return undefined
  })

const hasBlock = (node: Parameters<typeof isBlock>[0]): boolean => {
  for (const inner of elementsIn(node)) if (isBlock(inner)) return true
  return false
}
