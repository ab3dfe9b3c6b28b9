// What the page holds of its inputs, as text: each becomes elements where it is looked at, since a browser draws no thousands at once.

import { shownText } from '../shown-text.js'

/** A row of the list, by what it is sorted and shown. */
export class Row {
  #text: string | undefined

  constructor(
    readonly seq: string,
    readonly html: string,
    private readonly states: ReadonlySet<string>,
    private readonly facts: ReadonlyMap<string, string>,
  ) {}

  numberOf(key: string): number {
    return Number(this.facts.get(key) ?? 0)
  }

  /** `calls`: one of its tool calls has failed. */
  is(state: string): boolean {
    return state === 'calls' ? this.facts.has('f') : this.states.has(state)
  }

  /** In small letters. */
  get text(): string {
    this.#text ??= shownText(this.html).toLowerCase()
    return this.#text
  }
}

/** The values in it are escaped: a tag is one of the page. */
export const rowsIn = (html: string): Row[] =>
  [...html.matchAll(/<li class="([^"]*)"([^>]*)>.*?<\/li>/gs)].map(([whole, states = '', attributes = '']) => {
    const facts = new Map([...attributes.matchAll(/data-(\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]))
    return new Row(facts.get('seq') ?? '', whole, new Set(states.split(' ')), facts)
  })

export const elementsIn = (html: string): HTMLElement[] => {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  return [...body.children]
    .filter((element): element is HTMLElement => element instanceof HTMLElement)
    .map((one) => document.adoptNode(one))
}

interface Article {
  readonly html: string
  /** As it was written, in small letters. */
  text?: string
  element?: HTMLElement | undefined
}

const articles = new Map<string, Article>()

const BEGIN = '<article '

/** One that is as it was keeps what is unfolded in it. */
export const holdArticles = (html: string): void => {
  for (let start = html.indexOf(BEGIN); start >= 0; ) {
    const next = html.indexOf(BEGIN, start + 1)
    const one = html.slice(start, next < 0 ? undefined : next)
    const [, seq] = /^[^>]* data-seq="(\d+)"/.exec(one) ?? []
    if (seq !== undefined && articles.get(seq)?.html !== one) articles.set(seq, { html: one })
    start = next
  }
}

/** The others may have changed. */
export const forgetArticles = (but: string): void => {
  for (const seq of articles.keys()) if (seq !== but) articles.delete(seq)
}

export const heldSeqs = (): readonly string[] => [...articles.keys()]

export const articleOf = (seq: string): HTMLElement | undefined => {
  const article = articles.get(seq)
  if (article) article.element ??= elementsIn(article.html)[0]
  return article?.element
}

export const textOfArticle = (seq: string): string => {
  const article = articles.get(seq)
  if (!article) return ''
  article.text ??= shownText(article.html).toLowerCase()
  return article.text
}

/** The input in which a place is. */
export const seqOfPlace = (id: string): string | undefined => {
  const sign = ` id="${CSS.escape(id)}"`
  for (const [seq, { html }] of articles) if (html.includes(sign)) return seq
  return undefined
}

/** What the page has for those without a script is here as text. */
const heldIn = (page: Document, id: string): string => page.getElementById(id)?.innerHTML ?? ''

export const articlesIn = (page: Document): string => heldIn(page, 'articles')

export const listIn = (page: Document): Row[] => rowsIn(heldIn(page, 'rows') + heldIn(page, 'more-rows'))
