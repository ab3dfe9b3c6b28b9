// Makes formulas code: their TeX source where the page has it, else their MathML in a line.

import type { Element, ElementContent, Parents, Root } from 'hast'
import { childElements, element, findElement, isNamed, property, replaceElements, textContent } from './tree.js'

/** Call it before pruning, which removes programs and hidden elements, where the source may stand. */
export const convertFormulas = (tree: Root): void => {
  const hasSources = findElement(tree, (node) => sourceIn(node) !== undefined) !== undefined
  replaceElements(tree, (node) => {
    const source = sourceIn(node)
    if (source !== undefined) return [code(source, /mode\s*=\s*display/i.test(property(node, 'type')))]
    if (hasSources && RENDERED.test(property(node, 'className'))) return []
    if (node.tagName === 'math') return formulaOf(node)
    return isHolder(node) ? withoutCopies(node) : written(node)
  })
}

/** The property that tells formulas from code. */
export const FORMULA = 'dataFormula'

const code = (text: string, isBlock: boolean): Element => {
  const inner = element('code', { [FORMULA]: '' }, { type: 'text', value: text })
  return isBlock ? element('p', {}, inner) : inner
}

/** <script type="math/tex"> of MathJax 2 and kramdown. */
const sourceIn = (node: Element): string | undefined => {
  if (node.tagName !== 'script' || !/^math\/(tex|asciimath)/i.test(property(node, 'type'))) return undefined
  const source = clean(textContent(node).replace(/^\s*(?:%\s*)?<!\[CDATA\[|(?:%\s*)?\]\]>\s*$/g, ''))
  return source === '' ? undefined : source
}

/** What MathJax 2 has made of such a script, beside it. */
const RENDERED = /(^|\s)(MathJax(_\w+)?|mjx-chtml)(\s|$)/

/** An element that has a formula several times: for eyes, for screen readers, as a picture. */
const isHolder = (node: Element): boolean =>
  node.tagName === 'mjx-container' || /(^|\s)(katex|katex-display|mwe-math-element)(\s|$)/.test(property(node, 'className'))

const withoutCopies = (node: Element): readonly ElementContent[] | undefined => {
  const isBlock = /katex-display/.test(property(node, 'className')) || property(node, 'display') === 'true'
  const math = findElement(node, isNamed('math'))
  const text = math ? sourceOf(math) || clean(inLine(math)) : property(node, 'ariaLabel')
  if (text !== '') return [code(text, isBlock)]
  const seen = findElement(node, (inner) => property(inner, 'className').split(' ').includes('katex-html'))
  return seen && [code(clean(textContent(seen)), isBlock)]
}

/** `\(x\)` in an element for formulas, for a program to find. */
const written = (node: Element): readonly ElementContent[] | undefined => {
  if (!/(^|\s)(math|arithmatex|tex2jax_process)(\s|$)/.test(property(node, 'className'))) return undefined
  if (node.children.some((child) => child.type !== 'text')) return undefined
  const [, inline, block, dollars] = /^\s*(?:\\\(([\s\S]*)\\\)|\\\[([\s\S]*)\\\]|\$\$([\s\S]*)\$\$)\s*$/.exec(textContent(node)) ?? []
  const source = inline ?? block ?? dollars
  return source === undefined ? undefined : [code(clean(source), inline === undefined)]
}

const formulaOf = (math: Element): readonly ElementContent[] => {
  const source = sourceOf(math)
  const isBlock = property(math, 'display') === 'block'
  if (source !== '') return [code(source, isBlock)]
  const text: ElementContent = { type: 'text', value: clean(inLine(math)) }
  return [isBlock ? element('p', {}, text) : text]
}

const sourceOf = (math: Element): string => {
  const notes = findElement(math, (node) => node.tagName === 'annotation' && /tex/i.test(property(node, 'encoding') || 'tex'))
  const source = property(math, 'altText') || property(math, 'alttext') || (notes ? textContent(notes) : '')
  return clean(source).replace(/^\{\\(?:display|text)style ([\s\S]*)\}$/, '$1')
}

const clean = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** MathML in a line: x^2, (a)/(b), sqrt(x). */
const inLine = (parent: Parents): string =>
  parent.children.map((child) => (child.type === 'text' ? child.value.trim() : child.type === 'element' ? partInLine(child) : '')).join('')

// Each child is read once: elements within elements would double the work at each level otherwise.
const partInLine = (node: Element): string => {
  const part = (index: number): string => {
    const child = childElements(node)[index]
    return child === undefined ? '' : partInLine(child)
  }
  switch (node.tagName) {
    case 'annotation':
    case 'annotation-xml':
      return ''
    case 'mfrac':
      return `${grouped(part(0))}/${grouped(part(1))}`
    case 'msup':
    case 'mover':
      return `${part(0)}^${grouped(part(1))}`
    case 'msub':
    case 'munder':
      return `${part(0)}_${grouped(part(1))}`
    case 'msubsup':
    case 'munderover':
      return `${part(0)}_${grouped(part(1))}^${grouped(part(2))}`
    case 'mroot':
      return `root(${part(0)}, ${part(1)})`
    case 'msqrt':
      return `sqrt(${inLine(node)})`
    case 'mtr':
      return `${inCells(node)}; `
    case 'mtext':
      return ` ${textContent(node).trim()} `
    default:
      return inLine(node)
  }
}

const inCells = (row: Element): string =>
  row.children
    .map((child) => (child.type === 'element' ? partInLine(child) : ''))
    .filter((cell) => cell !== '')
    .join(', ')

const grouped = (text: string): string => ([...text].length > 1 && !/^[\d.]+$/.test(text) ? `(${text})` : text)
