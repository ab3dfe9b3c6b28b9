// Shows all that a click would show: each panel of a set of tabs below the name of its tab, and what a button unfolds.

import type { Element, ElementContent, Parents, Root } from 'hast'
import { isMostlyLinks } from './shown.js'
import { childElements, element, elementsIn, findElement, isNamed, property, textContent } from './tree.js'

/** Call it before pruning, which removes hidden elements and buttons. */
export const openTabs = (tree: Root): void => {
  const page = indexOf(tree)
  const shown = new Set<Element>()
  for (const list of page.tabLists) openTabList(list, page, shown)
  const considered = new Set<Element>()
  for (const button of page.unfolding) unfold(button, page, shown, considered)
  for (const panel of page.panels) if (!shown.has(panel)) show(panel)
  openLabelled(tree)
}

interface Page {
  readonly byId: ReadonlyMap<string, Element>
  readonly parents: ReadonlyMap<Element, Parents>
  readonly tabLists: readonly Element[]
  readonly panels: readonly Element[]
  /** By the id of the tab that labels them. */
  readonly labelled: ReadonlyMap<string, Element>
  /** The outermost panels in an element, once they were looked for. */
  readonly panelsIn: Map<Element, readonly Element[]>
  readonly unfolding: readonly Element[]
}

const isTab = (node: Element): boolean => property(node, 'role') === 'tab'
const isPanel = (node: Element): boolean => property(node, 'role') === 'tabpanel'

const indexOf = (tree: Root): Page => {
  const byId = new Map<string, Element>()
  const parents = new Map<Element, Parents>()
  const all: Element[] = []
  const add = (parent: Parents): void => {
    for (const child of parent.children) {
      if (child.type !== 'element') continue
      all.push(child)
      parents.set(child, parent)
      const id = property(child, 'id')
      if (id !== '' && !byId.has(id)) byId.set(id, child)
      add(child)
    }
  }
  add(tree)
  const panels = all.filter(isPanel)
  return {
    byId,
    parents,
    tabLists: all.filter((node) => property(node, 'role') === 'tablist'),
    panels,
    labelled: new Map(
      panels.flatMap((panel) =>
        property(panel, 'ariaLabelledBy')
          .split(' ')
          .map((id) => [id, panel] as const),
      ),
    ),
    panelsIn: new Map(),
    unfolding: all.filter((node) => node.tagName === 'button' && !isTab(node) && 'ariaExpanded' in node.properties),
  }
}

const openTabList = (list: Element, page: Page, shown: Set<Element>): void => {
  const tabs = [...elementsIn(list)].filter(isTab)
  const inOrder = panelsBeside(list, tabs.length, page)
  const named = new Set<Element>()
  for (const [i, tab] of tabs.entries()) {
    const panel = panelOf(tab, page) ?? inOrder[i]
    if (!panel || shown.has(panel) || isInside(list, panel, page.parents)) continue
    shown.add(panel)
    show(panel)
    // Tabs among their panels stay where they are.
    if (isInside(panel, list, page.parents)) toTitle(tab, page.parents)
    else {
      panel.children.unshift(titleOf(nameOf(tab)))
      named.add(tab)
    }
  }
  if (named.size > 0 && named.size === tabs.length) list.children = []
  else for (const tab of named) tab.children = []
}

const panelOf = (tab: Element, { byId, labelled }: Page): Element | undefined => {
  const ids = [
    property(tab, 'ariaControls'),
    ...['href', 'dataBsTarget', 'dataTarget'].map((name) => property(tab, name).replace(/^#/, '')),
  ]
  const id = property(tab, 'id')
  const named = ids.map((name) => byId.get(name)).find((found) => found !== undefined && found !== tab)
  return named ?? (id === '' ? undefined : labelled.get(id))
}

/** The panels of the innermost element around a list of tabs that has any, if they are as many as the tabs. */
const panelsBeside = (list: Element, count: number, { parents, panelsIn }: Page): readonly Element[] => {
  for (let around = parents.get(list); around && around.type === 'element'; around = parents.get(around)) {
    const panels = panelsIn.get(around) ?? outermostPanels(around)
    panelsIn.set(around, panels)
    if (panels.length > 0) return panels.length === count ? panels : []
  }
  return []
}

const outermostPanels = (parent: Element): Element[] =>
  parent.children.flatMap((child) => (child.type !== 'element' ? [] : isPanel(child) ? [child] : outermostPanels(child)))

const isInside = (node: Element, outer: Element, parents: Page['parents']): boolean => {
  for (let at: Parents | undefined = node; at && at.type === 'element'; at = parents.get(at)) if (at === outer) return true
  return false
}

/** A button that unfolds a text, as of questions with their answers; not one that unfolds a menu. */
const unfold = (button: Element, { byId, parents }: Page, shown: Set<Element>, considered: Set<Element>): void => {
  const panel = byId.get(property(button, 'ariaControls'))
  if (!panel || shown.has(panel) || considered.has(panel) || nameOf(button) === '' || isInside(button, panel, parents)) return
  considered.add(panel)
  if (isMenu(panel)) return
  shown.add(panel)
  show(panel)
  toTitle(button, parents)
}

const isMenu = (panel: Element): boolean =>
  isNamed('nav', 'form', 'aside', 'dialog')(panel) ||
  /^(menu|navigation|dialog|listbox)/.test(property(panel, 'role')) ||
  isMostlyLinks(panel) ||
  !findElement(panel, isNamed('p', 'pre', 'table', 'li', 'dd'))

const show = (panel: Element): void => {
  const { hidden, ariaHidden, style, className, ...others } = panel.properties
  const names = Array.isArray(className) ? className.filter((name) => name !== 'hidden') : []
  panel.properties = names.length > 0 ? { ...others, className: names } : others
}

/** A heading around it, or what it is itself, says that it is one. */
const toTitle = (tab: Element, parents: Page['parents']): void => {
  const name = nameOf(tab)
  if (isHeading(tab) || name === '') return
  let around = parents.get(tab)
  while (around?.type === 'element' && !isHeading(around)) around = parents.get(around)
  const text: ElementContent = { type: 'text', value: name }
  tab.children = [around?.type === 'element' ? text : element('strong', {}, text)]
  tab.tagName = 'span'
  tab.properties = {}
}

const isHeading = isNamed('h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'dt', 'summary')

const titleOf = (name: string): ElementContent => element('p', {}, element('strong', {}, { type: 'text', value: name }))

const nameOf = (tab: Element): string =>
  (wordsOf(tab).replace(/\s+/g, ' ').trim() || property(tab, 'ariaLabel') || property(tab, 'dataTitle') || property(tab, 'title')).trim()

const wordsOf = (node: Element): string =>
  node.children
    .map((child) => {
      if (child.type === 'text') return child.value
      return child.type === 'element' && !isNamed('svg', 'script', 'style', 'template')(child) ? wordsOf(child) : ''
    })
    .join('')

/** Sets of tabs without a program: radio buttons, whose labels are the names. */
const openLabelled = (tree: Root): void => {
  const radios = new Set<string>()
  for (const node of elementsIn(tree)) {
    if (node.tagName === 'input' && property(node, 'type') === 'radio' && property(node, 'id') !== '') radios.add(property(node, 'id'))
  }
  if (radios.size > 0) openLabelledIn(tree, (node) => node.tagName === 'label' && radios.has(property(node, 'htmlFor')))
}

const isPart = isNamed('div', 'section', 'pre', 'article', 'figure')

const openLabelledIn = (parent: Parents, isLabel: (node: Element) => boolean): void => {
  const elements = childElements(parent)
  for (const [i, node] of elements.entries()) {
    const next = elements[i + 1]
    openLabelledIn(node, isLabel)
    if (!next || !isPart(next)) continue
    if (isLabel(node)) Object.assign(node, titleOf(nameOf(node)))
    else nameParts(node, next, isLabel)
  }
}

/** Labels in one element, and as many parts in the next one. */
const nameParts = (around: Element, next: Element, isLabel: (node: Element) => boolean): void => {
  const inside = childElements(around)
  const labels = inside.filter(isLabel)
  const parts = childElements(next)
  if (labels.length === 0 || labels.length !== parts.length) return
  if (!inside.every((node) => isLabel(node) || node.tagName === 'input' || textContent(node).trim() === '')) return
  next.children = parts.map((part, i) => element('div', {}, titleOf(nameOf(labels[i] as Element)), part))
  for (const part of parts) show(part)
  around.children = []
}
