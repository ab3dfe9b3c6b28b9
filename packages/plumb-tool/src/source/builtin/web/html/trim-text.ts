// Tidies the Markdown tree: trims white space at the edges of lines, moves it out of marks and links, drops empty nodes, and splits
// paragraphs at double line breaks.

import type { Nodes, Paragraph, PhrasingContent, RootContent, Text } from 'mdast'

export const trimText = (node: Nodes): void => {
  if (!('children' in node)) return
  for (const child of node.children) trimText(child)
  const children = (node.children as RootContent[]).flatMap(moveSpaceOut)
  if (isLine(node)) {
    takeSpace(children, 'start')
    takeSpace(children, 'end')
  }
  node.children = joinTexts(children) as typeof node.children
}

const isLine = ({ type }: Nodes): boolean => type === 'paragraph' || type === 'heading' || type === 'tableCell'

const moveSpaceOut = (child: RootContent): RootContent[] => {
  switch (child.type) {
    case 'paragraph':
    case 'heading':
      return child.children.length === 0 ? [] : [child]
    case 'strong':
    case 'emphasis':
    case 'delete':
    case 'link': {
      const inside: PhrasingContent[] = [...child.children]
      const before = takeSpace(inside, 'start') ? [SPACE] : []
      const after = takeSpace(inside, 'end') ? [SPACE] : []
      return [...before, ...(inside.length === 0 ? [] : [{ ...child, children: inside } as RootContent]), ...after]
    }
    default:
      return [child]
  }
}

const SPACE: Text = { type: 'text', value: ' ' }

/** Trims one end; returns whether there was white space. */
const takeSpace = (children: RootContent[], end: 'start' | 'end'): boolean => {
  let hasSpace = false
  for (;;) {
    const at = end === 'start' ? 0 : children.length - 1
    const child = children[at]
    if (child?.type !== 'text') return hasSpace
    const value = end === 'start' ? child.value.trimStart() : child.value.trimEnd()
    hasSpace ||= value !== child.value
    children.splice(at, 1, ...(value === '' ? [] : [{ ...child, value }]))
    if (value !== '') return hasSpace
  }
}

/** Joins adjacent texts, with at most one white space between them. */
const joinTexts = (children: readonly RootContent[]): RootContent[] => {
  const all: RootContent[] = []
  for (const child of children) {
    const last = all.at(-1)
    if (child.type === 'text' && last?.type === 'text') {
      const value = /\s$/.test(last.value) ? child.value.trimStart() : child.value
      all[all.length - 1] = { type: 'text', value: last.value + value }
    } else all.push(child)
  }
  return all
}

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
