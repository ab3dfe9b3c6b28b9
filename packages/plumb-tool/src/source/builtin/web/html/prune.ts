// Removes what is not for reading (scripts, styles, hidden elements), and rewrites formulas, exponents and embedded pages.

import type { Element, ElementContent, Root } from 'hast'
import { element, findElement, isNamed, property, replaceElements, textContent } from './tree.js'

const GONE = new Set([
  ...['script', 'style', 'noscript', 'template', 'svg', 'canvas', 'object', 'embed', 'applet', 'audio', 'video', 'map'],
  ...['button', 'select', 'textarea', 'dialog', 'link', 'meta', 'colgroup', 'wbr'],
])

const HIDDEN_CLASS = new RegExp(
  `(^|\\s)(${[
    ...['sr-only', 'visually-hidden', 'screen-reader-text', 'hidden', 'octicon', 'tooltipped', 'headerlink', 'anchorjs-link'],
    ...['linenos?', 'gutter', 'line-numbers-rows', 'mw-editsection', 'mw-jump-link'],
  ].join('|')})(\\s|$)`,
)

export const prune = (tree: Root): void =>
  replaceElements(tree, (node) => {
    if (GONE.has(node.tagName) || isHidden(node)) return []
    if (node.tagName === 'menu') node.tagName = 'ul'
    if (node.tagName === 'iframe') return linkTo(node)
    if (node.tagName === 'math') return [formula(node)]
    if (node.tagName === 'sup' && EXPONENT.test(textContent(node)) && !findElement(node, isNamed('a')))
      return [{ type: 'text', value: `^${textContent(node)}` }]
    if (node.tagName === 'input' && property(node, 'type') !== 'checkbox') return []
    return undefined
  })

const isHidden = (node: Element): boolean =>
  // A code block itself is never hidden, only its gutter.
  (HIDDEN_CLASS.test(property(node, 'className')) && !['body', 'main', 'article', 'pre'].includes(node.tagName)) ||
  'hidden' in node.properties ||
  (property(node, 'ariaHidden') === 'true' && node.tagName !== 'img') ||
  /(^|;)\s*(display\s*:\s*none|visibility\s*:\s*hidden)/i.test(property(node, 'style'))

/** An exponent, so that 10^-5 does not become 10-5. A linked superscript is a footnote. */
const EXPONENT = /^[+\-\u2212]?(\d+|[a-z])$/i

/** The TeX source of the formula if the page has it, else its text. */
const formula = (math: Element): ElementContent => {
  const annotation = findElement(math, isNamed('annotation'))
  const written = property(math, 'altText') || property(math, 'alttext') || (annotation ? textContent(annotation) : '')
  const text = (written || textContent(math)).replace(/\s+/g, ' ').trim()
  return written === '' ? { type: 'text', value: text } : element('code', {}, { type: 'text', value: text })
}

/** An embedded page becomes a link. */
const linkTo = (frame: Element): readonly ElementContent[] => {
  const source = property(frame, 'src')
  if (source === '' || source.startsWith('about:')) return []
  const name = property(frame, 'title') || property(frame, 'name') || source
  return [element('p', {}, element('a', { href: source }, { type: 'text', value: name }))]
}
