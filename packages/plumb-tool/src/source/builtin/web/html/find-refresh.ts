// Finds where a page sends its reader on to by itself: <meta http-equiv="refresh">.

import type { Root } from 'hast'
import { parseFragment } from 'parse5'
import { type Refresh, readRefresh } from '../refresh.js'
import { elementsIn, isNamed, property, textContent } from './tree.js'

/** Call it before pruning. Undefined where the page only loads itself again. */
export const findRefresh = (tree: Root, base: string, url: string): Refresh | undefined => {
  for (const node of elementsIn(tree)) {
    if (node.tagName === 'meta' && /^refresh$/i.test(property(node, 'httpEquiv'))) {
      const found = readRefresh(property(node, 'content'), base, url)
      if (found) return { ...found, isWithoutProgram: false }
    }
  }
  for (const node of [...elementsIn(tree)].filter(isNamed('noscript'))) {
    for (const inner of parseFragment(textContent(node)).childNodes) {
      const given = 'attrs' in inner && inner.tagName === 'meta' ? new Map(inner.attrs.map(({ name, value }) => [name, value])) : undefined
      const found = /^refresh$/i.test(given?.get('http-equiv') ?? '') ? readRefresh(given?.get('content') ?? '', base, url) : undefined
      if (found) return { ...found, isWithoutProgram: true }
    }
  }
  return undefined
}
