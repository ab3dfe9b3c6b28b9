// Converts definition lists, which Markdown does not have, to lists of bold terms, each with a list of its definitions.

import type { Element, ElementContent, Root } from 'hast'
import { element, findElement, isNamed, property, replaceElements, textContent } from './tree.js'

export const convertDefinitions = (tree: Root): void =>
  replaceElements(tree, (node) => (node.tagName === 'dl' ? [element('ul', {}, ...itemsOf(node))] : undefined))

const itemsOf = (list: Element): Element[] => {
  const items: Element[] = []
  let terms: ElementContent[] = []
  let meanings: Element[] = []
  const close = (): void => {
    const all = meanings.length === 0 ? [] : [onlyList(meanings) ?? element('ul', {}, ...meanings)]
    if (terms.length + all.length > 0) items.push(element('li', {}, ...terms, ...all))
    terms = []
    meanings = []
  }
  for (const part of partsOf(list)) {
    if (part.tagName === 'dd') {
      if (part.children.length > 0) meanings.push(element('li', {}, ...part.children))
    } else {
      // Terms that share a definition form one item; linked terms of a table of contents do not.
      if (meanings.length > 0 || isLink(part)) close()
      terms.push(...(terms.length > 0 ? [{ type: 'text' as const, value: ', ' }] : []), element('strong', {}, ...part.children))
    }
  }
  close()
  return items
}

/** The list, if the only definition is a list and nothing else. */
const onlyList = ([meaning, ...others]: readonly Element[]): Element | undefined => {
  const [only, ...rest] = meaning?.children.filter((child) => child.type !== 'text' || child.value.trim() !== '') ?? []
  return others.length + rest.length === 0 && only?.type === 'element' && ['ul', 'ol', 'dl'].includes(only.tagName) ? only : undefined
}

const isLink = (term: Element): boolean => {
  const link = findElement(term, isNamed('a'))
  return link !== undefined && property(link, 'href') !== '' && textContent(link).trim() === textContent(term).trim()
}

const partsOf = (list: Element): readonly Element[] =>
  list.children.flatMap((child) => {
    if (child.type !== 'element') return []
    return child.tagName === 'div' ? partsOf(child) : [child]
  })
