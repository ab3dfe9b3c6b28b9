// Finds the language of code blocks in the many ways pages mark it, and marks it as <pre><code class="language-x">.

import type { Element, ElementContent, Root } from 'hast'
import { element, elementsIn, isNamed, property, replaceElements, textContent } from './tree.js'

const IN_CLASS = /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-(?=\w+(?:\s|$))|brush:\s*|sourceCode\s+|src-)([\w+#.-]+)/
const NO_LANGUAGE = new Set(['default', 'none', 'text', 'plaintext', 'plain', 'nohighlight', 'source', 'code'])

export const markLanguages = (tree: Root): void => {
  gatherTables(tree)
  mark(tree, '')
}

const mark = (parent: Root | Element, around: string): void => {
  parent.children = (parent.children as ElementContent[]).flatMap((child): ElementContent[] => {
    if (child.type !== 'element') return [child]
    if (child.tagName === 'pre') return blocksOf(child, around)
    // A class up to two elements above belongs to the block; further up, to the page.
    mark(child, told(child) || (parent.type === 'element' ? told(parent) : ''))
    return [child]
  }) as typeof parent.children
}

/** One block, unless a <pre> has the same program in several languages, as tabs. */
const blocksOf = (pre: Element, around: string): Element[] => {
  const codes = [...elementsIn(pre)].filter(isNamed('code'))
  if (codes.length > 1 && codes.every((code) => told(code) !== '')) return codes.flatMap((code) => block(code, told(code)))
  const [inner] = codes
  return block(pre, told(pre) || (inner ? told(inner) : '') || around)
}

const block = (from: Element, language: string): Element[] => {
  const value = codeOf(from).replace(/^\n/, '').trimEnd()
  if (value === '') return []
  return [element('pre', {}, element('code', language === '' ? {} : { className: [`language-${language}`] }, { type: 'text', value }))]
}

const isLine = isNamed('div', 'p', 'li', 'tr', 'section')

/** Lines end at newlines, at <br>, and around elements that are lines. */
const codeOf = (code: Element): string => {
  let text = ''
  const endLine = (): void => {
    if (text !== '' && !text.endsWith('\n')) text += '\n'
  }
  const add = (parent: Element): void => {
    for (const child of parent.children) {
      if (child.type === 'text') text += child.value
      else if (child.type === 'element' && child.tagName === 'br') text += '\n'
      else if (child.type === 'element') {
        if (isLine(child)) endLine()
        add(child)
        if (isLine(child)) endLine()
      }
    }
  }
  add(code)
  return text
}

const told = (node: Element): string => {
  const name = IN_CLASS.exec(property(node, 'className'))?.[1] ?? (property(node, 'dataLang') || property(node, 'dataLanguage'))
  const language = name.toLowerCase()
  return NO_LANGUAGE.has(language) || !/^[\w+#.-]{1,30}$/.test(language) ? '' : language
}

const textBeside = (parent: Element, one: Element): string =>
  parent.children
    .map((child) => (child === one ? '' : child.type === 'element' ? textBeside(child, one) : child.type === 'text' ? child.value : ''))
    .join('')

/** Of tables with line numbers in one cell and code in another, only the code is kept. */
const gatherTables = (tree: Root): void =>
  replaceElements(tree, (node) => {
    if (node.tagName !== 'table') return undefined
    const blocks = [...elementsIn(node)].filter(isNamed('pre'))
    const code = blocks.filter((pre) => !/^[\s\d]*$/.test(textContent(pre)))
    const [only] = code
    return only && code.length === 1 && /^[\s\d]*$/.test(textBeside(node, only)) ? [only] : undefined
  })
