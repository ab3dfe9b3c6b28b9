// Tidies the Markdown tree: trims white space at the edges of lines, moves it out of marks and links, drops empty nodes, and splits
// paragraphs at double line breaks.

import type { InlineCode, Nodes, Paragraph, PhrasingContent, RootContent, Text } from 'mdast'

export const trimText = (node: Nodes): void => {
  if (!('children' in node)) return
  for (const child of node.children) trimText(child)
  const children = (node.children as RootContent[]).map(withoutBreakingPoints).flatMap(moveSpaceOut)
  if (isLine(node)) {
    takeSpace(children, 'start')
    takeSpace(children, 'end')
  }
  node.children = joinTexts(children) as typeof node.children
}

/** Soft hyphens and spaces without width say where a word may be broken, and hide it from searches. */
const withoutBreakingPoints = (node: RootContent): RootContent =>
  node.type === 'text' && BREAKING_POINTS.test(node.value)
    ? { ...node, value: node.value.replaceAll(new RegExp(BREAKING_POINTS, 'g'), '') }
    : node

const BREAKING_POINTS = /[\u00ad\u200b\u2060\ufeff]/

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
      const before = takeOuter(inside, 'start')
      const after = takeOuter(inside, 'end')
      return [...before, ...(inside.length === 0 ? [] : [{ ...child, children: inside } as RootContent]), ...after]
    }
    case 'list':
    case 'blockquote':
      return child.children.length === 0 ? [] : [child]
    case 'inlineCode':
      return child.value.trim() === '' ? (child.value === '' ? [] : [SPACE]) : [child]
    default:
      return [child]
  }
}

/** White space and breaks at an edge of a mark, as they are to stand outside of it. */
const takeOuter = (children: PhrasingContent[], end: 'start' | 'end'): RootContent[] => {
  const taken: RootContent[] = []
  for (;;) {
    if (takeSpace(children, end)) taken.push(SPACE)
    if (children.at(end === 'start' ? 0 : -1)?.type !== 'break') return end === 'start' ? taken : taken.reverse()
    taken.push(...children.splice(end === 'start' ? 0 : -1, 1))
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

/** Joins adjacent texts, with at most one white space between them, and keeps adjacent code from becoming other code. */
const joinTexts = (children: readonly RootContent[]): RootContent[] => {
  const all: RootContent[] = []
  // A line may have thousands, so they are joined at its end.
  let texts: string[] = []
  const close = (): void => {
    if (texts.length > 0) all.push({ type: 'text', value: texts.join('') })
    texts = []
  }
  for (const child of children) {
    if (child.type === 'text') {
      const value = /\s$/.test(texts.at(-1)?.slice(-1) ?? '') ? child.value.trimStart() : child.value
      if (value !== '' || texts.length === 0) texts.push(value)
      continue
    }
    close()
    const last = all.at(-1)
    if (child.type !== 'inlineCode' || last?.type !== 'inlineCode') all.push(child)
    else if (isOneCode(last, child)) all[all.length - 1] = { type: 'inlineCode', value: last.value + child.value }
    else all.push(SPACE, child)
  }
  close()
  return all
}

/** Code that a page has in several elements, such as `os.` and `path`, but neither keys nor formulas nor words. */
const isOneCode = (a: InlineCode, b: InlineCode): boolean =>
  ![a, b].some(({ data }) => data === APART) && !(/[\p{L}\p{N}]$/u.test(a.value) && /^[\p{L}\p{N}]/u.test(b.value))

/** On code that is seen apart from code beside it. */
export const APART = { isApart: true }

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
