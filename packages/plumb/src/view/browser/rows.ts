// The list of inputs as it is sorted and filtered. Of a long one only what is near the window is drawn; the places of the others are kept free.

import { elementsIn, type Row } from './held.js'

const box = document.getElementById('list')
const list = document.getElementById('rows')
const filter = document.getElementById('filter') as HTMLSelectElement | null
const words = document.getElementById('words') as HTMLInputElement | null
const sort = document.getElementById('sort') as HTMLSelectElement | null

/** Shorter lists are drawn whole, and of others so many beyond the window. */
const MAX_WHOLE = 200
const BEYOND = 30
/** Pixels, where no row says how high it is. */
const USUAL_HEIGHT = 33

let all: readonly Row[] = []
let listed: readonly Row[] = []
let chosen = ''
let height = USUAL_HEIGHT
let isWhole = false
/** Of the rows that are drawn. */
const drawn = new WeakMap<Element, Row>()

export const listedRows = (): readonly Row[] => listed

export const heldRows = (): readonly Row[] => all

const isShown = (row: Row): boolean => {
  const wanted = filter?.value ?? ''
  const text = words?.value.trim().toLowerCase() ?? ''
  return (wanted === '' || row.is(wanted)) && (text === '' || row.text.includes(text))
}

/** What belongs to no input is last, whatever the list is sorted by. */
const inOrder = (rows: readonly Row[]): Row[] => {
  const key = sort?.value ?? 'seq'
  const sign = key === 'seq' ? 1 : -1
  const last = ({ seq }: Row) => (seq === '0' ? 1 : 0)
  return [...rows].sort((a, b) => last(a) - last(b) || sign * (a.numberOf(key) - b.numberOf(key)) || Number(a.seq) - Number(b.seq))
}

const arrange = (): void => {
  listed = inOrder(all.filter(isShown))
  const shown = document.getElementById('shown-count')
  const total = document.getElementById('inputs')?.dataset.total ?? ''
  if (shown) shown.textContent = listed.length === Number(total) ? total : `${listed.length} of ${total}`
  draw()
}

/** Takes the place of what was listed. */
export const setRows = (rows: readonly Row[]): void => {
  all = rows
  arrange()
}

/** Shows one state alone. */
export const showState = (state: string): void => {
  if (filter && [...filter.options].some(({ value }) => value === state)) filter.value = state
  if (words) words.value = ''
  arrange()
}

const draw = (): void => {
  if (!list || !box) return
  const isShort = isWhole || listed.length <= MAX_WHOLE
  const first = isShort ? 0 : Math.max(0, Math.min(listed.length, Math.floor(box.scrollTop / height)) - BEYOND)
  const end = isShort ? listed.length : Math.min(listed.length, first + Math.ceil(box.clientHeight / height) + 2 * BEYOND)
  place(list, listed.slice(first, end))
  list.style.paddingTop = `${first * height}px`
  list.style.paddingBottom = `${(listed.length - end) * height}px`
  height = list.firstElementChild?.getBoundingClientRect().height || USUAL_HEIGHT
  mark(list, first)
}

// Rows that stay are not moved: one of them may have the focus.
const place = (parent: HTMLElement, rows: readonly Row[]): void => {
  const wanted = new Set(rows)
  const hadFocus = parent.contains(document.activeElement)
  const known = new Map<Row, Element>()
  for (const element of [...parent.children]) {
    const row = drawn.get(element)
    if (row && wanted.has(row)) known.set(row, element)
    else element.remove()
  }
  const missing = rows.filter((row) => !known.has(row))
  for (const [i, element] of elementsIn(missing.map(({ html }) => html).join('')).entries()) {
    const row = missing[i]
    if (!row) continue
    drawn.set(element, row)
    known.set(row, element)
  }
  let next = parent.firstElementChild
  for (const row of rows) {
    const element = known.get(row)
    if (element && element === next) next = next.nextElementSibling
    else if (element) parent.insertBefore(element, next)
  }
  if (hadFocus && !parent.contains(document.activeElement)) box?.focus({ preventScroll: true })
}

/** Says which row is which to those who hear the list, and which is chosen. One of them is reached by Tab, the others by arrows. */
const mark = (parent: HTMLElement, first: number): void => {
  const rows = [...parent.children]
  const reached = rows.find((row) => drawn.get(row)?.seq === chosen) ?? rows[0]
  for (const [i, row] of rows.entries()) {
    row.setAttribute('aria-posinset', String(first + i + 1))
    row.setAttribute('aria-setsize', String(listed.length))
    const isChosen = drawn.get(row)?.seq === chosen
    row.classList.toggle('chosen', isChosen)
    const link = row.querySelector('a')
    link?.setAttribute('tabindex', row === reached ? '0' : '-1')
    if (isChosen) link?.setAttribute('aria-current', 'true')
    else link?.removeAttribute('aria-current')
  }
}

/** The page stays where it is: the list alone is scrolled to the row. */
export const chooseRow = (seq: string): void => {
  chosen = seq
  const at = listed.findIndex((row) => row.seq === seq)
  if (box && at >= 0) {
    const top = at * height
    if (top < box.scrollTop) box.scrollTop = top
    else if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight
  }
  draw()
}

/** All of the list, as on paper, or what is looked at. */
export const drawWhole = (whole: boolean): void => {
  isWhole = whole
  draw()
}

const focusChosen = (): void => list?.querySelector<HTMLElement>('.chosen a')?.focus({ preventScroll: true })

/** `go`: leads to the input so many rows behind the chosen one. */
export const enableRows = (go: (by: number) => void): void => {
  for (const field of [filter, words, sort]) field?.addEventListener('input', arrange)
  box?.addEventListener('scroll', () => requestAnimationFrame(draw), { passive: true })
  box?.addEventListener('keydown', (event) => {
    const rows = Math.max(1, Math.floor(box.clientHeight / height) - 1)
    const steps: Readonly<Record<string, number>> = {
      ...{ ArrowDown: 1, ArrowUp: -1, PageDown: rows, PageUp: -rows },
      ...{ Home: Number.NEGATIVE_INFINITY, End: Number.POSITIVE_INFINITY },
    }
    const by = event.ctrlKey || event.metaKey || event.altKey ? undefined : steps[event.key]
    if (by === undefined) return
    event.preventDefault()
    go(by)
    focusChosen()
  })
}
