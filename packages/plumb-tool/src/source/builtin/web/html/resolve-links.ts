// Makes URLs of links and images absolute; links that lead nowhere, and links of headings to themselves, become text.

import type { Element, Root } from 'hast'
import { findElement, isNamed, property, replaceElements, textContent } from './tree.js'

const SCHEMES = new Set(['http:', 'https:', 'mailto:', 'ftp:', 'tel:'])

/** Call it before pruning. */
export const documentBase = (tree: Root, url: string): string => {
  const base = findElement(tree, isNamed('base'))
  const href = base ? property(base, 'href') : ''
  return URL.canParse(href, url) ? new URL(href, url).href : url
}

export const resolveLinks = (tree: Root, base: string): void => {
  replaceElements(tree, (node) => {
    if (node.tagName === 'base') return []
    if (node.tagName === 'a' || node.tagName === 'frame') return link(node, base)
    return node.tagName === 'img' ? image(node, base) : undefined
  })
  replaceElements(tree, (node) => {
    if (isHeading(node)) replaceElements(node, (inner) => (leadsHere(inner, base) ? inner.children : undefined))
    return undefined
  })
}

const isHeading = isNamed('h1', 'h2', 'h3', 'h4', 'h5', 'h6')
/** The sign of an anchor link beside a heading. */
const SIGN = /^[\s#\u00a7\u00b6\u{1f517}\u200b]*$/u

const leadsHere = (node: Element, base: string): boolean =>
  node.tagName === 'a' && property(node, 'href').split('#')[0] === base.split('#')[0]

const link = (node: Element, base: string): Element['children'] | undefined => {
  const address = resolved(property(node, node.tagName === 'a' ? 'href' : 'src'), base)
  if (address === undefined) return node.tagName === 'a' ? node.children : undefined
  node.properties = node.tagName === 'a' ? { href: address, ...titleOf(node) } : { ...node.properties, src: address }
  const isSign = leadsHere(node, base) && SIGN.test(textContent(node)) && !findElement(node, isNamed('img'))
  return isSign ? [] : undefined
}

const titleOf = (node: Element): Element['properties'] => {
  const title = property(node, 'title')
  return title === '' ? {} : { title }
}

/** A lazily loaded image has its URL in another attribute; an inline image leaves its alt text. */
const image = (node: Element, base: string): Element['children'] | undefined => {
  const sources = ['src', 'dataSrc', 'dataOriginal', 'dataLazySrc'].map((name) => resolved(property(node, name), base))
  const source = sources.find((address) => address !== undefined) ?? resolved(property(node, 'srcSet').trim().split(/[\s,]/)[0] ?? '', base)
  const alt = property(node, 'alt')
  if (source === undefined) return alt === '' ? [] : [{ type: 'text', value: alt }]
  if (property(node, 'width') === '1' && property(node, 'height') === '1') return []
  node.properties = { src: source, alt, ...titleOf(node) }
  return undefined
}

const resolved = (address: string, base: string): string | undefined => {
  if (address === '' || !URL.canParse(address, base)) return undefined
  const { href, protocol } = new URL(address, base)
  return SCHEMES.has(protocol) ? href : undefined
}
