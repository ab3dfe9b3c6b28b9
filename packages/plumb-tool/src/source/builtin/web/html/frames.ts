// Converts a page of frames to links to its frames, followed by its <noframes> content.

import type { Element, ElementContent, Root } from 'hast'
import { fromParse5 } from 'hast-util-from-parse5'
import { parseFragment } from 'parse5'
import { limitDepth } from './limit-depth.js'
import { prune } from './prune.js'
import { resolveLinks } from './resolve-links.js'
import { element, elementsIn, findElement, isNamed, property, textContent } from './tree.js'

/** Undefined if the page has no frames. */
export const convertFrames = (tree: Root, base: string): Root | undefined => {
  const set = findElement(tree, isNamed('frameset'))
  if (!set) return undefined
  const frames = [...elementsIn(set)].filter((frame) => frame.tagName === 'frame' && /^https?:/.test(property(frame, 'src')))
  const links = frames.map((frame) => element('li', {}, linkTo(frame)))
  return {
    type: 'root',
    children: [
      element('p', {}, { type: 'text', value: 'This page is made of frames:' }),
      element('ul', {}, ...links),
      ...readNoframes(tree, base),
    ],
  }
}

const linkTo = (frame: Element): Element => {
  const source = property(frame, 'src')
  const name = property(frame, 'title') || property(frame, 'name') || source
  return element('a', { href: source }, { type: 'text', value: name })
}

/** parse5 supports frames, so it parses the content of <noframes> as text. */
const readNoframes = (tree: Root, base: string): readonly ElementContent[] =>
  [...elementsIn(tree)].filter(isNamed('noframes')).flatMap((node) => {
    const parsed = parseFragment(textContent(node))
    limitDepth(parsed)
    const fragment = fromParse5(parsed) as Root
    prune(fragment)
    resolveLinks(fragment, base)
    return fragment.children.filter((child): child is ElementContent => child.type !== 'doctype')
  })
