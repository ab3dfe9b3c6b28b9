// The list of inputs, and beside it the one that was chosen.

import { articleOf, articlesIn, heldSeqs, holdArticles, listIn, rowsIn } from './held.js'
import { chooseRow, drawWhole, enableRows, heldRows, listedRows, setRows } from './rows.js'
import { fetchedArticle, fetchedRows, isServed } from './server.js'
import { enableRaw, prepare } from './texts.js'

const pane = document.getElementById('chosen')

let chosen = ''
let isFollowing = false

export const chosenSeq = (): string => chosen

/** That is shown. */
const shownArticle = (): HTMLElement | undefined => pane?.querySelector<HTMLElement>('article.shown') ?? undefined

/** Shows what came of an input; resolves to undefined if the page does not have it, and nobody to fetch it from. */
export const choose = async (seq: string, { isFresh = false } = {}): Promise<HTMLElement | undefined> => {
  if (!pane || !/^\d+$/.test(seq)) return undefined
  chosen = seq
  chooseRow(seq)
  if (isServed && (isFresh || !articleOf(seq))) {
    const fetched = await fetchedArticle(seq)
    if (fetched !== undefined) holdArticles(fetched)
    if (chosen !== seq) return undefined
  }
  const article = articleOf(seq)
  for (const other of pane.querySelectorAll('article, .missing')) {
    if (other === article) continue
    other.classList.remove('shown')
    other.remove()
  }
  if (!article) pane.append(missing(seq))
  if (!article) return undefined
  if (!article.isConnected) pane.append(article)
  article.classList.add('shown')
  prepare(article)
  follow()
  return article
}

const missing = (seq: string): HTMLElement => {
  const note = document.createElement('p')
  note.className = 'missing left-out'
  const why = isServed ? 'was not sent: plumb view --serve may have ended' : `is not on this page: plumb view --seq ${seq} shows it`
  note.textContent = `#${seq} ${why}.`
  return note
}

let isMarked = false

/** Marks everything of the chosen input in the timeline. */
const follow = (): void => {
  document.body.classList.toggle('following', isFollowing)
  if (!isFollowing && !isMarked) return
  isMarked = isFollowing
  for (const bar of document.querySelectorAll<SVGElement>('.bar'))
    bar.classList.toggle('followed', isFollowing && bar.dataset.seq === chosen)
}

/** To an input before or behind, as they are listed now. */
export const step = (by: number): void => {
  const rows = listedRows()
  const at = rows.findIndex(({ seq }) => seq === chosen)
  const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]?.seq
  if (next === undefined || next === chosen) return
  // The next key may come before the news of the place.
  chosen = next
  chooseRow(next)
  location.hash = next
}

/** What a page has of the inputs, which may be this one; of a served one, with what was not sent with it. */
export const hold = async (page: Document): Promise<void> => {
  holdArticles(articlesIn(page))
  const rows = listIn(page)
  if (heldRows().length === 0) setRows(rows)
  const total = Number(page.getElementById('inputs')?.dataset.total)
  const sent = rows.length
  for (let before = -1; isServed && rows.length < total && rows.length > before; ) {
    before = rows.length
    rows.push(...rowsIn(await fetchedRows(before)))
  }
  if (rows.length > sent || heldRows() !== rows) setRows(rows)
}

// All of it, and not only what is looked at.
const showOnPaper = (isPaper: boolean): void => {
  drawWhole(isPaper)
  if (!pane) return
  const shown = shownArticle()
  for (const article of pane.querySelectorAll('article:not(.shown)')) article.remove()
  if (!isPaper) return
  const all = heldSeqs().flatMap((seq) => articleOf(seq) ?? [])
  for (const article of all) prepare(article)
  const at = shown ? all.indexOf(shown) : -1
  shown?.before(...all.slice(0, at))
  pane.append(...all.slice(at + 1))
}

export const enablePane = (): void => {
  enableRows(step)
  enableRaw(shownArticle)
  document.getElementById('previous')?.addEventListener('click', () => step(-1))
  document.getElementById('next')?.addEventListener('click', () => step(1))
  addEventListener('beforeprint', () => showOnPaper(true))
  addEventListener('afterprint', () => showOnPaper(false))
  matchMedia('print').addEventListener('change', ({ matches }) => showOnPaper(matches))
  const button = document.getElementById('follow')
  button?.addEventListener('click', () => {
    isFollowing = !isFollowing
    button.setAttribute('aria-pressed', String(isFollowing))
    follow()
  })
}
