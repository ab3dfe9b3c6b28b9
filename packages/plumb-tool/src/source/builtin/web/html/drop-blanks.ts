// Removes white space between blocks, which can be half of the nodes of a page, to speed up the later passes.

import type { Element, Parents, Root, RootContent } from 'hast'
import { isNamed } from './tree.js'

const isBlock = isNamed(
  ...['p', 'div', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'table', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th', 'blockquote', 'hr', 'pre'],
  ...[
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'section',
    'article',
    'main',
    'header',
    'footer',
    'nav',
    'aside',
    'figure',
    'body',
    'head',
    'html',
  ],
)
const keepsSpace = isNamed('pre', 'textarea')

export const dropBlanks = (parent: Root | Element): void => {
  for (const child of parent.children) if (child.type === 'element' && !keepsSpace(child)) dropBlanks(child)
  const { children } = parent as Parents
  const kept = children.filter((child, i) => !(isBlank(child) && isEdge(children[i - 1], parent) && isEdge(children[i + 1], parent)))
  if (kept.length < children.length) parent.children = kept as typeof parent.children
}

const isBlank = (node: RootContent): boolean => node.type === 'text' && node.value.trim() === '' && !node.value.includes('\u00a0')

/** Whether the neighbour is a block, or the edge of one, and not text. */
const isEdge = (beside: RootContent | undefined, parent: Root | Element): boolean =>
  beside === undefined ? parent.type === 'root' || isBlock(parent) : beside.type === 'element' && isBlock(beside)
