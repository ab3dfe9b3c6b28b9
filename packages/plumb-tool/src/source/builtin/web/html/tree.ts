// Going through a tree of elements, and what to ask of one.

import type { Element, ElementContent, Parents, Root, RootContent } from 'hast'

/** Each element, parents before their children; what it gives takes the place of the element, and is gone through too. */
export const replaceElements = (parent: Parents, replace: (element: Element) => readonly ElementContent[] | undefined): void => {
  const children: RootContent[] = []
  for (const child of parent.children) {
    const instead = child.type === 'element' ? replace(child) : undefined
    // What takes its own place stays as it is, or this would never end.
    if (instead && !instead.includes(child as Element)) {
      const holder: Root = { type: 'root', children: [...instead] }
      replaceElements(holder, replace)
      children.push(...holder.children)
    } else {
      if (child.type === 'element') replaceElements(child, replace)
      children.push(...(instead ?? [child]))
    }
  }
  parent.children = children as typeof parent.children
}

/** Parents before their children. */
export function* elementsIn(parent: Parents): Generator<Element> {
  for (const child of parent.children) {
    if (child.type !== 'element') continue
    yield child
    yield* elementsIn(child)
  }
}

export const findElement = (parent: Parents, isWanted: (element: Element) => boolean): Element | undefined => {
  for (const element of elementsIn(parent)) if (isWanted(element)) return element
  return undefined
}

export const isNamed =
  (...names: readonly string[]) =>
  ({ tagName }: Element): boolean =>
    names.includes(tagName)

export const property = ({ properties }: Element, name: string): string => {
  const value = properties[name]
  return Array.isArray(value) ? value.join(' ') : value === undefined || value === null ? '' : String(value)
}

export const textContent = (node: Parents | RootContent): string => {
  if (node.type === 'text') return node.value
  return 'children' in node ? node.children.map(textContent).join('') : ''
}

export const element = (tagName: string, properties: Element['properties'], ...children: ElementContent[]): Element => ({
  type: 'element',
  tagName,
  properties,
  children,
})
