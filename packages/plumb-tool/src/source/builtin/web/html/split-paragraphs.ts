// Two breaks in a row were meant as the end of a paragraph.

import type { Nodes, Paragraph, RootContent } from 'mdast'

export const splitParagraphs = (node: Nodes): void => {
  if (!('children' in node)) return
  for (const child of node.children) splitParagraphs(child)
  node.children = node.children.flatMap((child): RootContent[] =>
    child.type === 'paragraph' ? split(child) : [child],
  ) as typeof node.children
}

const split = (paragraph: Paragraph): Paragraph[] => {
  const parts: Paragraph['children'][] = [[]]
  const { children } = paragraph
  for (const [i, child] of children.entries()) {
    const isDouble = child.type === 'break' && (children[i - 1]?.type === 'break' || children[i + 1]?.type === 'break')
    if (!isDouble) parts.at(-1)?.push(child)
    else if (children[i - 1]?.type !== 'break') parts.push([])
  }
  const full = parts.filter((part) => part.length > 0)
  return full.length < 2 ? [paragraph] : full.map((part) => ({ type: 'paragraph', children: part }))
}
