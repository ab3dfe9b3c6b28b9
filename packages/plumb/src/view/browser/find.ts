// Search over all that the page holds: it goes from place to place, opens what is folded, and says how many there are.

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

/** By element, in small letters. */
const texts = new WeakMap<Element, string>()

const textOf = (part: Element): string => {
  const known = texts.get(part)
  if (known !== undefined) return known
  const text = writtenText(part).toLowerCase()
  texts.set(part, text)
  return text
}

const countIn = (text: string, wanted: string): number => {
  let count = 0
  for (let at = text.indexOf(wanted); at >= 0 && count < MAX_MATCHES; at = text.indexOf(wanted, at + wanted.length)) count++
  return count
}

/** Parts beside the inputs. */
const OTHERS = '#prompts details, #errors tbody tr'

const placesOnPage = (wanted: string): Place[] => {
  const parts = [...document.querySelectorAll<HTMLElement>(`#chosen > article, ${OTHERS}`)]
  const places = parts.map((part) => ({
    seq: part.matches('article') ? part.dataset.seq : undefined,
    part,
    count: countIn(textOf(part), wanted),
  }))
  return places.filter(({ count }) => count > 0)
}

const placesServed = async (wanted: string): Promise<{ places: Place[]; note: string }> => {
  const reply = await fetchedMatches(wanted)
  const others = placesOnPage(wanted).filter(({ seq }) => seq === undefined)
  if (!reply) return { places: others, note: '; the server does not answer' }
  const places = reply.found.map(([seq, count]) => ({ seq: String(seq), part: undefined, count }))
  const note = reply.searched < reply.total ? `; ${reply.searched} of ${reply.total} inputs were searched` : ''
  return { places: [...places, ...others], note }
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
  let [total, at, note, searched] = [0, -1, '', '']
  let timer: ReturnType<typeof setTimeout> | undefined

  const say = (): void => {
    said.textContent = searched === '' ? '' : total === 0 ? `0 found${note}` : `${at + 1} of ${total} found${note}`
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

  const find = async (): Promise<void> => {
    const wanted = field.value.trim().toLowerCase()
    searched = wanted
    unmark()
    if (wanted === '') {
      places = []
      total = 0
      return say()
    }
    if (isServed) {
      const served = await placesServed(wanted)
      if (searched !== wanted) return
      places = served.places
      note = served.note
    } else {
      places = placesOnPage(wanted)
      note = noteOfPage()
    }
    total = places.reduce((sum, { count }) => sum + count, 0)
    await go(0)
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
