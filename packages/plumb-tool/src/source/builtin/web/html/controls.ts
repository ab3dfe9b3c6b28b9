// Keeps the words of buttons, choices and fields that stand in a sentence or are a title; the others are of the page's program and go.

import type { Element, ElementContent, Root } from 'hast'
import { element, elementsIn, isNamed, property, replaceElements, textContent } from './tree.js'

const isControl = isNamed('button', 'select', 'textarea', 'input')
const isTitle = isNamed('h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'th', 'td', 'dt', 'summary', 'caption', 'legend', 'a')
const isHeading = isNamed('h1', 'h2', 'h3', 'h4', 'h5', 'h6')
/** Text before a control is enough in these. */
const isProse = isNamed('p', 'li', 'dd', 'blockquote', 'figcaption')
const isBlock = isNamed(
  ...['p', 'li', 'dd', 'dt', 'div', 'td', 'th', 'blockquote', 'figcaption', 'section', 'article', 'main', 'body', 'form', 'fieldset'],
  ...[
    'summary',
    'caption',
    'legend',
    'pre',
    'ul',
    'ol',
    'dl',
    'table',
    'tr',
    'tbody',
    'thead',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'br',
    'hr',
  ],
)

/** Call it after what is hidden is gone. */
export const keepControls = (tree: Root): void => {
  const kept = new Set<Element>()
  for (const line of linesOf(tree)) {
    const shown = areShown(line)
    for (const [i, { control }] of line.parts.entries()) if (control && shown[i]) kept.add(control)
  }
  replaceElements(tree, (node) => (isControl(node) ? wordsOf(node, kept.has(node)) : undefined))
}

interface Line {
  readonly block: Element | undefined
  readonly parts: readonly { readonly control?: Element; readonly text: string; readonly around: Element | undefined }[]
}

/** What stands between the edges of blocks. */
function* linesOf(tree: Root): Generator<Line> {
  let parts: Line['parts'][number][] = []
  let block: Element | undefined
  const lines: Line[] = []
  const close = (): void => {
    if (parts.some(({ control }) => control)) lines.push({ block, parts })
    parts = []
  }
  const walk = (parent: Root | Element, around: Element | undefined): void => {
    for (const child of parent.children) {
      if (child.type === 'text') {
        if (child.value.trim() !== '') parts.push({ text: child.value, around })
      } else if (child.type === 'element' && isControl(child)) parts.push({ control: child, text: '', around })
      else if (child.type === 'element') {
        const outer = block
        const isEdge = isBlock(child)
        if (isEdge) close()
        if (isEdge) block = child
        walk(child, isTitle(child) ? child : around)
        if (isEdge) close()
        block = outer
      }
    }
  }
  walk(tree, undefined)
  close()
  yield* lines
}

/** Whether each part of a line is shown, in one pass from either end: a line may have thousands. */
const areShown = ({ block, parts }: Line): readonly boolean[] => {
  if (block && isNamed('pre')(block)) return parts.map(() => false)
  const isProseAround = block !== undefined && isProse(block)
  let isTextBefore = false
  const before = parts.map(({ text }) => {
    const is = isTextBefore
    isTextBefore ||= /[\p{L}\p{N}]/u.test(text)
    return is
  })
  let next = ''
  const after = parts.toReversed().map(({ text }) => {
    const is = /^\s*[\p{L}\p{N}.,;:!?)'"\u2019\u201d]/u.test(next)
    if (text !== '') next = text
    return is
  })
  return parts.map(({ control, around }, i) => {
    // The name of a section or of a link, or what a cell has; beside a title, a button is about the title.
    if (around && parts.length === 1) return control?.tagName === 'button'
    if (around && isHeading(around)) return false
    return after[parts.length - 1 - i] || (before[i] === true && isProseAround)
  })
}

const MAX_OPTIONS = 10

const wordsOf = (node: Element, isKept: boolean): readonly ElementContent[] => {
  if (node.tagName === 'textarea') {
    const value = textContent(node)
    return value.trim() === '' ? [] : [element('pre', {}, { type: 'text', value })]
  }
  // Lists of tasks have them.
  if (node.tagName === 'input' && property(node, 'type') === 'checkbox') return [node]
  // What is laid out as blocks is no button in a line.
  if (node.tagName === 'button' && [...elementsIn(node)].some(isHeading)) return node.children
  if (!isKept) return []
  if (node.tagName === 'button') return node.children
  const value = node.tagName === 'select' ? choicesOf(node) : isTyped(node) ? property(node, 'value') || property(node, 'placeholder') : ''
  return value === '' ? [] : [{ type: 'text', value }]
}

const isTyped = (node: Element): boolean => !/^(hidden|password|radio|image|file|range|color)$/.test(property(node, 'type'))

/** All of a few, else the one that is chosen. */
const choicesOf = (select: Element): string => {
  const options = [...elementsIn(select)].filter(isNamed('option'))
  const names = options.map((option) => (textContent(option) || property(option, 'label')).replace(/\s+/g, ' ').trim())
  if (names.length <= MAX_OPTIONS) return names.filter((name) => name !== '').join(' / ')
  const chosen = Math.max(
    0,
    options.findIndex(({ properties }) => 'selected' in properties),
  )
  return names[chosen] ?? ''
}
