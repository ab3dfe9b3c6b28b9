// Search over all that the page holds: it goes from place to place, opens what is folded, and says how many there are.

import { countIn } from '../shown-text.js'
import { heldSeqs, textOfArticle } from './held.js'
import { choose } from './pane.js'
import { fetchedMatches, isServed } from './server.js'
import { showRaw, writtenText } from './texts.js'

const DELAY_MS = 200
/** A change of the chosen input loses no match; more are not counted. */
const MAX_MATCHES = 100_000

interface Place {
  /** Of an input; undefined: another part of the page. */
  readonly seq: string | undefined
  readonly part: HTMLElement | undefined
  readonly count: number
}

/** Parts beside the inputs. */
const OTHERS = '#prompts details, #errors tbody tr'

/** Of those, in small letters. */
const texts = new WeakMap<Element, string>()

const textOf = (part: Element): string => {
  const known = texts.get(part)
  if (known !== undefined) return known
  const text = writtenText(part).toLowerCase()
  texts.set(part, text)
  return text
}

const otherPlaces = (wanted: string): Place[] =>
  [...document.querySelectorAll<HTMLElement>(OTHERS)]
    .map((part) => ({ seq: undefined, part, count: countIn(textOf(part), wanted) }))
    .filter(({ count }) => count > 0)

/** Milliseconds after which the page has its turn. */
const SLICE_MS = 30

/** Gets what was found so far, now and then; false ends the search. */
type Take = (places: readonly Place[]) => boolean

const searchPage = async (wanted: string, take: Take): Promise<void> => {
  const places: Place[] = []
  let until = performance.now() + SLICE_MS
  for (const seq of heldSeqs()) {
    const count = countIn(textOfArticle(seq), wanted)
    if (count > 0) places.push({ seq, part: undefined, count })
    if (performance.now() < until) continue
    if (!take(places)) return
    await new Promise((resolve) => setTimeout(resolve))
    until = performance.now() + SLICE_MS
  }
  take([...places, ...otherPlaces(wanted)])
}

/** Resolves to what is to be said of it. */
const searchServer = async (wanted: string, take: Take): Promise<string> => {
  const places: Place[] = []
  for (let from = 0; ; ) {
    const reply = await fetchedMatches(wanted, from)
    for (const [seq, count] of reply?.found ?? []) places.push({ seq: String(seq), part: undefined, count })
    if (!reply || reply.searched >= reply.total || reply.searched <= from) {
      take([...places, ...otherPlaces(wanted)])
      return reply ? '' : '; the server does not answer'
    }
    if (!take(places)) return ''
    from = reply.searched
  }
}

const noteOfPage = (): string => {
  const { held = '', total = '' } = document.getElementById('inputs')?.dataset ?? {}
  return held === total ? '' : `, in the ${held} of ${total} inputs on this page`
}

export const enableSearch = (): void => {
  const field = document.getElementById('find') as HTMLInputElement | null
  const said = document.getElementById('found')
  if (!field || !said) return
  let places: readonly Place[] = []
  let [total, at, note, searched, isDone] = [0, -1, '', '', true]
  let timer: ReturnType<typeof setTimeout> | undefined

  const say = (): void => {
    const found = `${total} found${isDone ? '' : ' so far'}${note}`
    said.textContent = searched === '' ? '' : total === 0 ? found : `${at + 1} of ${found}`
  }

  const go = async (to: number): Promise<void> => {
    if (total === 0) return say()
    at = (to + total) % total
    let before = 0
    const place = places.find(({ count }) => {
      before += count
      return at < before
    })
    say()
    if (!place) return
    const part = place.seq === undefined ? place.part : await choose(place.seq)
    if (part) mark(part, searched, at - (before - place.count), place.count)
  }

  /** The first place is shown when it is found, while others are searched for. */
  const take = (found: readonly Place[], done: boolean): void => {
    const isFirst = total === 0
    places = [...found]
    total = places.reduce((sum, { count }) => sum + count, 0)
    isDone = done
    if (isFirst) void go(0)
    else say()
  }

  const find = async (): Promise<void> => {
    const wanted = field.value.trim().toLowerCase()
    unmark()
    places = []
    ;[total, at, note, searched, isDone] = [0, -1, '', wanted, wanted === '']
    say()
    if (wanted === '') return
    const takeMore: Take = (found) => {
      if (searched === wanted) take(found, false)
      return searched === wanted
    }
    note = isServed ? '' : noteOfPage()
    const added = isServed ? await searchServer(wanted, takeMore) : await searchPage(wanted, takeMore)
    if (searched !== wanted) return
    note += added ?? ''
    take(places, true)
  }

  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void find(), DELAY_MS)
  })
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      field.value = ''
      void find()
    }
    if (event.key !== 'Enter') return
    event.preventDefault()
    clearTimeout(timer)
    void (field.value.trim().toLowerCase() === searched ? go(at + (event.shiftKey ? -1 : 1)) : find())
  })
  document.getElementById('find-next')?.addEventListener('click', () => void go(at + 1))
  document.getElementById('find-previous')?.addEventListener('click', () => void go(at - 1))
}

const unmark = (): void => {
  CSS.highlights?.clear()
}

// Matches may begin in one element and end in another.
const rangesIn = (part: Element, wanted: string): Range[] => {
  const nodes: { readonly node: Text; readonly from: number }[] = []
  let text = ''
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push({ node: node as Text, from: text.length })
    text += (node as Text).data.toLowerCase()
  }
  const placeOf = (offset: number): { node: Text; offset: number } | undefined => {
    const found = nodes.findLast(({ from }) => from <= offset)
    return found && { node: found.node, offset: Math.min(offset - found.from, found.node.length) }
  }
  const ranges: Range[] = []
  for (let at = text.indexOf(wanted); at >= 0 && ranges.length < MAX_MATCHES; at = text.indexOf(wanted, at + wanted.length)) {
    const [start, end] = [placeOf(at), placeOf(at + wanted.length - 1)]
    if (!start || !end) continue
    const range = document.createRange()
    range.setStart(start.node, start.offset)
    range.setEnd(end.node, Math.min(end.offset + 1, end.node.length))
    ranges.push(range)
  }
  return ranges
}

const mark = (part: HTMLElement, wanted: string, index: number, count: number): void => {
  let ranges = rangesIn(part, wanted)
  if (ranges.length < count) {
    // The signs of Markdown are between its letters.
    showRaw(part)
    ranges = rangesIn(part, wanted)
  }
  const now = ranges[Math.min(index, ranges.length - 1)]
  if (!now) return
  for (let element = now.startContainer.parentElement; element; element = element.parentElement) {
    if (element instanceof HTMLDetailsElement) element.open = true
  }
  unmark()
  if (CSS.highlights) {
    CSS.highlights.set('found', new Highlight(...ranges))
    CSS.highlights.set('found-now', new Highlight(now))
  } else {
    getSelection()?.removeAllRanges()
    getSelection()?.addRange(now)
  }
  now.startContainer.parentElement?.scrollIntoView({ block: 'center' })
}
