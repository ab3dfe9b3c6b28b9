// The language of a code block, from the many ways in which pages tell it to the one that is read: <pre><code class="language-x">.

import type { Element, Root } from 'hast'
import { element, elementsIn, findElement, isNamed, property, replaceElements, textOf } from './walk.js'

const IN_CLASS = /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-(?=\w+(?:\s|$))|brush:\s*|sourceCode\s+|src-)([\w+#.-]+)/
const NO_LANGUAGE = new Set(['default', 'none', 'text', 'plaintext', 'plain', 'nohighlight', 'source', 'code'])

export const markLanguages = (tree: Root): void => {
  gatherTables(tree)
  mark(tree, '')
}

const mark = (parent: Root | Element, around: string): void => {
  for (const child of parent.children) {
    if (child.type !== 'element') continue
    if (child.tagName === 'pre') rewrite(child, around)
    // What is said two elements up is of this block; further up it is of the page.
    else mark(child, told(child) || (parent.type === 'element' ? told(parent) : ''))
  }
}

const rewrite = (pre: Element, around: string): void => {
  const inner = findElement(pre, isNamed('code'))
  const language = told(pre) || (inner ? told(inner) : '') || around
  for (const node of elementsIn(pre))
    if (node.tagName === 'br') Object.assign(node, { tagName: 'span', children: [{ type: 'text', value: '\n' }] })
  const text = { type: 'text' as const, value: textOf(pre).replace(/^\n/, '') }
  pre.children = [element('code', language === '' ? {} : { className: [`language-${language}`] }, text)]
}

const told = (node: Element): string => {
  const name = IN_CLASS.exec(property(node, 'className'))?.[1] ?? (property(node, 'dataLang') || property(node, 'dataLanguage'))
  const language = name.toLowerCase()
  return NO_LANGUAGE.has(language) || !/^[\w+#.-]{1,30}$/.test(language) ? '' : language
}

/** Line numbers in one cell, code in another: the code is all that is meant. */
const gatherTables = (tree: Root): void =>
  replaceElements(tree, (node) => {
    if (node.tagName !== 'table') return undefined
    const blocks = [...elementsIn(node)].filter(isNamed('pre'))
    const code = blocks.filter((pre) => !/^[\s\d]*$/.test(textOf(pre)))
    const rest = textOf(node).length - blocks.reduce((length, pre) => length + textOf(pre).length, 0)
    const [only] = code
    return only && code.length === 1 && rest < 40 && only !== node ? [only] : undefined
  })
