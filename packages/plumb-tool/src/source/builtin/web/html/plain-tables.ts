// Simplifies tables for Markdown: layout tables are dissolved, captions moved before the table, spans limited.

import type { Element, ElementContent, Root } from 'hast'
import { element, elementsIn, isNamed, property, replaceElements, textContent } from './tree.js'

const MAX_CELLS = 100
const isBlock = isNamed('table', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'dl', 'pre', 'blockquote', 'form', 'hr')
const isLine = isNamed(
  'p',
  'div',
  'ul',
  'ol',
  'li',
  'dl',
  'dt',
  'dd',
  'blockquote',
  'center',
  'section',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
)
const isRow = isNamed('tr')
const isPart = isNamed('td', 'th', 'tr', 'tbody', 'thead', 'tfoot', 'caption')

export const plainTables = (tree: Root): void =>
  replaceElements(tree, (node) => {
    if (node.tagName !== 'table') return undefined
    if (isForLayout(node)) return dissolve(node)
    for (const cell of [...elementsIn(node)].filter(isNamed('td', 'th'))) {
      limitSpans(cell)
      cell.children = toOneLine(cell)
    }
    const caption = [...ownElements(node)].find(isNamed('caption'))
    if (!caption) return undefined
    node.children = node.children.filter((child) => child !== caption)
    return [element('p', {}, element('strong', {}, ...caption.children)), node]
  })

const isForLayout = (table: Element): boolean => {
  const own = [...ownElements(table)]
  const isGrid = own.some((part) => isRow(part) && part.children.filter((child) => child.type === 'element').length > 1)
  if (property(table, 'role') === 'presentation' || !isGrid) return true
  return !own.some(isNamed('th')) && own.some(isBlock)
}

/** All descendants, including nested tables but not their contents. */
function* ownElements(parent: Element): Generator<Element> {
  for (const child of parent.children) {
    if (child.type !== 'element') continue
    yield child
    if (child.tagName !== 'table') yield* ownElements(child)
  }
}

const dissolve = (table: Element): readonly ElementContent[] => {
  toDivs(table)
  return [element('div', {}, ...table.children)]
}

/** Nested tables are processed after the outer one is dissolved. */
const toDivs = (parent: Element): void => {
  for (const child of parent.children) {
    if (child.type !== 'element' || child.tagName === 'table') continue
    if (isPart(child)) child.tagName = 'div'
    toDivs(child)
  }
}

const limitSpans = ({ properties }: Element): void => {
  for (const span of ['colSpan', 'rowSpan']) if (Number(properties[span]) > MAX_CELLS) properties[span] = MAX_CELLS
}

/** A cell becomes one line, with breaks between its former lines. */
const toOneLine = (cell: Element): ElementContent[] => {
  const lines: ElementContent[][] = [[]]
  const add = (parent: Element): void => {
    for (const child of parent.children) {
      if (child.type !== 'element') lines.at(-1)?.push(child)
      else if (child.tagName === 'br') lines.push([])
      else if (child.tagName === 'pre') {
        for (const line of textContent(child).split('\n')) lines.push([element('code', {}, { type: 'text', value: line })])
      } else if (isLine(child)) {
        lines.push([])
        add(child)
        lines.push([])
      } else lines.at(-1)?.push(child)
    }
  }
  add(cell)
  const full = lines.filter((line) => line.some((part) => part.type === 'element' || textContent(part).trim() !== ''))
  return full.flatMap((line, i) => (i === 0 ? line : [element('br', {}), ...line]))
}
