// The list of inputs, and beside it the one that was chosen.

import { fetchedArticle, fetchedRows, isServed } from './server.js'
import { enableRaw, prepare } from './texts.js'

const rows = document.getElementById('rows')
const pane = document.getElementById('chosen')
const filter = document.getElementById('filter') as HTMLSelectElement | null
const words = document.getElementById('words') as HTMLInputElement | null
const sort = document.getElementById('sort') as HTMLSelectElement | null

let chosen = ''
let isFollowing = false

export const chosenSeq = (): string => chosen

export const articleAt = (seq: string): HTMLElement | null =>
  pane?.querySelector<HTMLElement>(`article[data-seq="${CSS.escape(seq)}"]`) ?? null

const rowAt = (seq: string): HTMLElement | null => rows?.querySelector<HTMLElement>(`li[data-seq="${CSS.escape(seq)}"]`) ?? null

/** Shows what came of an input; resolves to undefined if the page does not have it, and nobody to fetch it from. */
export const choose = async (seq: string, { isFresh = false } = {}): Promise<HTMLElement | undefined> => {
  if (!pane || !/^\d+$/.test(seq)) return undefined
  chosen = seq
  for (const row of rows?.querySelectorAll('.chosen') ?? []) row.classList.remove('chosen')
  const row = rowAt(seq)
  row?.classList.add('chosen')
  scrollWithin(row)
  let article = articleAt(seq)
  if (isServed && (!article || isFresh)) {
    const fetched = await fetchedArticle(seq)
    if (chosen !== seq) return undefined
    if (fetched && article) article.replaceWith(fetched)
    else if (fetched) pane.append(fetched)
    article = fetched ?? article
  }
  for (const other of pane.querySelectorAll('article.shown')) if (other !== article) other.classList.remove('shown')
  let missing = pane.querySelector<HTMLElement>('.missing')
  missing?.remove()
  if (!article) {
    missing = document.createElement('p')
    missing.className = 'missing left-out'
    missing.textContent = `#${seq} is not on this page: plumb view --seq ${seq} shows it.`
    pane.append(missing)
    return undefined
  }
  article.classList.add('shown')
  prepare(article)
  follow()
  return article
}

// Of the list alone: the page stays where it is.
const scrollWithin = (row: HTMLElement | null): void => {
  if (!row || !rows || rows.scrollHeight <= rows.clientHeight) return
  const [top, height] = [row.offsetTop - rows.offsetTop, row.offsetHeight]
  if (top < rows.scrollTop) rows.scrollTop = top
  else if (top + height > rows.scrollTop + rows.clientHeight) rows.scrollTop = top + height - rows.clientHeight
}

/** Marks everything of the chosen input in the timeline. */
const follow = (): void => {
  document.body.classList.toggle('following', isFollowing)
  for (const bar of document.querySelectorAll<SVGElement>('.bar'))
    bar.classList.toggle('followed', isFollowing && bar.dataset.seq === chosen)
}

const isShown = (row: HTMLElement): boolean => {
  const wanted = filter?.value ?? ''
  const hasState = wanted === '' || row.classList.contains(wanted) || (wanted === 'calls' && row.dataset.f !== undefined)
  const text = words?.value.trim().toLowerCase() ?? ''
  return hasState && (text === '' || (row.textContent ?? '').toLowerCase().includes(text))
}

export const arrange = (): void => {
  if (!rows) return
  const all = [...rows.querySelectorAll<HTMLElement>(':scope > li')]
  const key = sort?.value ?? 'seq'
  const numbers = new Map(all.map((row) => [row, Number(row.dataset[key])]))
  const sign = key === 'seq' ? 1 : -1
  const last = (row: HTMLElement) => (row.dataset.seq === '0' ? 1 : 0)
  all.sort(
    (a, b) => last(a) - last(b) || sign * ((numbers.get(a) ?? 0) - (numbers.get(b) ?? 0)) || Number(a.dataset.seq) - Number(b.dataset.seq),
  )
  let count = 0
  for (const row of all) {
    row.hidden = !isShown(row)
    if (!row.hidden) count++
  }
  rows.replaceChildren(...all)
  const shown = document.getElementById('shown-count')
  const total = document.getElementById('inputs')?.dataset.total ?? ''
  if (shown) shown.textContent = count === Number(total) ? total : `${count} of ${total}`
}

/** To the input before or behind, as they are listed now. */
export const step = (by: 1 | -1): void => {
  const all = [...(rows?.querySelectorAll<HTMLElement>(':scope > li:not([hidden])') ?? [])]
  const at = all.findIndex((row) => row.dataset.seq === chosen)
  const next = all[at < 0 ? 0 : at + by]?.dataset.seq
  if (next !== undefined) location.hash = next
}

/** Rows that were not sent with the page. */
export const fetchRows = async (): Promise<void> => {
  if (!isServed || !rows) return
  const total = Number(document.getElementById('inputs')?.dataset.total)
  for (let before = -1; rows.children.length < total && rows.children.length > before; ) {
    before = rows.children.length
    rows.append(...(await fetchedRows(before)))
  }
  arrange()
}

export const enablePane = (): void => {
  enableRaw(() => articleAt(chosen) ?? undefined)
  for (const field of [filter, words, sort]) field?.addEventListener('input', arrange)
  document.getElementById('previous')?.addEventListener('click', () => step(-1))
  document.getElementById('next')?.addEventListener('click', () => step(1))
  const button = document.getElementById('follow')
  button?.addEventListener('click', () => {
    isFollowing = !isFollowing
    button.setAttribute('aria-pressed', String(isFollowing))
    follow()
  })
}
