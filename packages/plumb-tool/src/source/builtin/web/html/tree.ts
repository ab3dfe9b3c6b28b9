// Walking and querying a tree of HTML elements.

import type { Element, ElementContent, Parents, Root, RootContent } from 'hast'

/** Visits elements, parents first; the returned elements replace the visited one and are visited too. */
export const replaceElements = (parent: Parents, replace: (element: Element) => readonly ElementContent[] | undefined): void => {
  const children: RootContent[] = []
  for (const child of parent.children) {
    const instead = child.type === 'element' ? replace(child) : undefined
    // A replacement that contains the element itself is not visited again, or this would not end.
    if (instead && !instead.includes(child as Element)) {
      const holder: Root = { type: 'root', children: [...instead] }
      replaceElements(holder, replace)
      for (const inner of holder.children) addTo(children, inner)
    } else {
      if (child.type === 'element') replaceElements(child, replace)
      for (const inner of instead ?? [child]) addTo(children, inner)
    }
  }
  parent.children = children as typeof parent.children
}

/** Texts side by side become one: the library that makes Markdown takes the square of their number. */
const addTo = (children: RootContent[], child: RootContent): void => {
  const last = children.at(-1)
  if (child.type === 'text' && last?.type === 'text') children[children.length - 1] = { type: 'text', value: last.value + child.value }
  else children.push(child)
}

/** In document order. */
export function* elementsIn(parent: Parents): Generator<Element> {
  for (const child of parent.children) {
    if (child.type !== 'element') continue
    yield child
    yield* elementsIn(child)
  }
}

export const childElements = (parent: Parents): Element[] =>
  (parent.children as RootContent[]).filter((child): child is Element => child.type === 'element')

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
