// What is on a page and is not for reading: scripts, styles, what is hidden. And what a reader would see in another way than it is written.

import type { Element, ElementContent, Root } from 'hast'
import { element, property, replaceElements } from './walk.js'

const GONE = new Set([
  ...['script', 'style', 'noscript', 'template', 'svg', 'canvas', 'math', 'object', 'embed', 'applet', 'audio', 'video', 'map'],
  ...['button', 'select', 'textarea', 'dialog', 'link', 'meta', 'colgroup'],
])

const HIDDEN_CLASS =
  /(^|\s)(sr-only|visually-hidden|screen-reader-text|octicon|tooltipped|headerlink|anchorjs-link|linenos?|gutter|line-numbers-rows|hidden)(\s|$)/

export const prune = (tree: Root): void =>
  replaceElements(tree, (node) => {
    if (GONE.has(node.tagName) || isHidden(node)) return []
    if (node.tagName === 'menu') node.tagName = 'ul'
    if (node.tagName === 'iframe') return linkTo(node)
    if (node.tagName === 'input' && property(node, 'type') !== 'checkbox') return []
    return undefined
  })

const isHidden = (node: Element): boolean =>
  // Of a code block the gutter alone is hidden, whatever it is called.
  (HIDDEN_CLASS.test(property(node, 'className')) && !['body', 'main', 'article', 'pre'].includes(node.tagName)) ||
  'hidden' in node.properties ||
  (property(node, 'ariaHidden') === 'true' && node.tagName !== 'img') ||
  /(^|;)\s*(display\s*:\s*none|visibility\s*:\s*hidden)/i.test(property(node, 'style'))

/** A page in a page is a page of its own. */
const linkTo = (frame: Element): readonly ElementContent[] => {
  const source = property(frame, 'src')
  if (source === '' || source.startsWith('about:')) return []
  const name = property(frame, 'title') || property(frame, 'name') || source
  return [element('p', {}, element('a', { href: source }, { type: 'text', value: name }))]
}
