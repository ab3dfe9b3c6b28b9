// Finds the language of code blocks in the many ways pages mark it, and marks it as <pre><code class="language-x">.

import type { Element, ElementContent, Root } from 'hast'
import { element, elementsIn, isNamed, property, replaceElements, textContent } from './tree.js'

const IN_CLASS = /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-(?=\w+(?:\s|$))|brush:\s*|sourceCode\s+|src-)([\w+#.-]+)/
const NO_LANGUAGE = new Set(['default', 'none', 'text', 'plaintext', 'plain', 'nohighlight', 'source', 'code'])

export const markLanguages = (tree: Root): void => {
  removeLineNumbers(tree)
  unwrapCodeTables(tree)
  markAround(tree, '')
}

const LINE_NUMBER =
  /(?:^|[\s_-])(?:ln|lnt|lnum|lineno|linenos?|lineNum|line-?num(?:ber)?s?|line-no|linenumbers?|lines-num|gutter(?:-cell|elt)?|hljs-ln-n|crayon-num|nums?)(?:$|[\s_-])/i

/** Numbers of lines, in the classes of the many highlighters; what is not a number under such a name is code. */
const removeLineNumbers = (tree: Root): void =>
  replaceElements(tree, (node) => {
    if (!isNamed('span', 'a', 'div', 'code', 'i', 'em', 'b')(node) || !LINE_NUMBER.test(property(node, 'className'))) return undefined
    return /^(\s*\d+[.:|]?\s*)*$/.test(textContent(node)) ? [] : undefined
  })

const markAround = (parent: Root | Element, around: string): void => {
  parent.children = (parent.children as ElementContent[]).flatMap((child): ElementContent[] => {
    if (child.type !== 'element') return [child]
    if (child.tagName === 'pre') return blocksOf(child, around)
    // A class up to two elements above belongs to the block; further up, to the page.
    markAround(child, readLanguage(child) || (parent.type === 'element' ? readLanguage(parent) : ''))
    return [child]
  }) as typeof parent.children
}

/** One block, unless a <pre> has the same program in several languages, as tabs. */
const blocksOf = (pre: Element, around: string): Element[] => {
  const codes = [...elementsIn(pre)].filter(isNamed('code'))
  if (codes.length > 1 && codes.every((code) => readLanguage(code) !== ''))
    return codes.flatMap((code) => makeBlock(code, readLanguage(code)))
  const [inner] = codes
  return makeBlock(pre, readLanguage(pre) || (inner ? readLanguage(inner) : '') || around)
}

const makeBlock = (from: Element, language: string): Element[] => {
  const value = textOfCode(from).replace(/^\n/, '').trimEnd()
  if (value === '') return []
  return [element('pre', {}, element('code', language === '' ? {} : { className: [`language-${language}`] }, { type: 'text', value }))]
}

const isLine = isNamed('div', 'p', 'li', 'tr', 'section')

/** Lines end at newlines, at <br>, and around elements that are lines. */
const textOfCode = (code: Element): string => {
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

const readLanguage = (node: Element): string => {
  const name = IN_CLASS.exec(property(node, 'className'))?.[1] ?? (property(node, 'dataLang') || property(node, 'dataLanguage'))
  const language = name.toLowerCase()
  return NO_LANGUAGE.has(language) || !/^[\w+#.-]{1,30}$/.test(language) ? '' : language
}

const readTextBeside = (parent: Element, one: Element): string =>
  parent.children
    .map((child) => (child === one ? '' : child.type === 'element' ? readTextBeside(child, one) : child.type === 'text' ? child.value : ''))
    .join('')

/** Of tables with line numbers in one cell and code in another, only the code is kept. */
const unwrapCodeTables = (tree: Root): void =>
  replaceElements(tree, (node) => {
    if (node.tagName !== 'table') return undefined
    const blocks = [...elementsIn(node)].filter(isNamed('pre'))
    const code = blocks.filter((pre) => !/^[\s\d]*$/.test(textContent(pre)))
    const [only] = code
    return only && code.length === 1 && /^[\s\d]*$/.test(readTextBeside(node, only)) ? [only] : undefined
  })
