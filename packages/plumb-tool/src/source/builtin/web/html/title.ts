// What a page is called.

import type { Root } from 'hast'
import { findElement, isNamed, property, textContent } from './tree.js'

const MAX_TITLE = 300

/** Before anything is pruned. */
export const titleOf = (tree: Root): string | undefined => {
  const meta = findElement(tree, (node) => node.tagName === 'meta' && property(node, 'property') === 'og:title')
  const own = findElement(tree, isNamed('title'))
  const title = (own ? textContent(own) : meta ? property(meta, 'content') : '').replace(/\s+/g, ' ').trim()
  return title === '' ? undefined : title.slice(0, MAX_TITLE)
}
