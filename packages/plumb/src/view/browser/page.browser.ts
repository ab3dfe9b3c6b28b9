// The script of the page, whose verdict can be read without it.

import { enableChart } from './chart.js'
import { enableSearch } from './find.js'
import { seqOfPlace } from './held.js'
import { enableLive } from './live.js'
import { choose, enablePane, hold, step } from './pane.js'
import { heldRows, showState } from './rows.js'
import { prepare } from './texts.js'

document.body.classList.add('scripted')
for (const element of document.querySelectorAll<HTMLElement>('[data-script]')) element.hidden = false

/** A part of an article, or of the page; what is folded around it is opened. */
const show = (target: Element): void => {
  for (let element: Element | null = target; element; element = element.parentElement) {
    if (element instanceof HTMLDetailsElement) element.open = true
  }
  if (target.matches('details.prompt')) prepare(target)
  for (const one of document.querySelectorAll('.target')) one.classList.remove('target')
  if (target.matches('section:not(.turn)')) return target.scrollIntoView()
  target.classList.add('target')
  // One that is taller than the window is shown from its beginning.
  target.scrollIntoView({ block: target.getBoundingClientRect().height > innerHeight * 0.8 ? 'start' : 'center' })
}

const hashName = (): string => {
  try {
    return decodeURIComponent(location.hash.slice(1))
  } catch {
    return ''
  }
}

/** Where a link leads: an input, a place in one, or another part of the page. `from`: what was clicked, which may say in which input. */
const openTarget = async (from?: Element): Promise<void> => {
  const name = hashName()
  if (name === '') return
  if (/^\d+$/.test(name)) {
    const article = await choose(name)
    const { top = 0, bottom = 0 } = document.getElementById('chosen')?.getBoundingClientRect() ?? {}
    if (article && (top > innerHeight * 0.6 || bottom < 100)) document.getElementById('inputs')?.scrollIntoView()
    return
  }
  const isBeside = document.getElementById(name)?.closest('article') === null
  const seq = isBeside ? undefined : (seqOfPlace(name) ?? from?.closest<HTMLElement>('[data-seq]')?.dataset.seq)
  if (seq !== undefined) await choose(seq)
  const target = document.getElementById(name)
  if (target) show(target)
}

let clicked: Element | undefined
addEventListener('click', ({ target }) => {
  clicked = (target as Element).closest('a') ?? undefined
  const state = (clicked as HTMLElement | undefined)?.dataset.show
  if (state !== undefined) showState(state)
  // A link to where the page is already leads there again.
  if (clicked instanceof HTMLAnchorElement && clicked.hash !== '' && clicked.hash === location.hash) void openTarget(clicked)
})
addEventListener('hashchange', () => void openTarget(clicked))

const keys: Readonly<Record<string, () => void>> = {
  n: () => step(1),
  p: () => step(-1),
  '/': () => document.getElementById('find')?.focus(),
}
addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement
  const act = isTyping || event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key]
  if (!act) return
  event.preventDefault()
  act()
})

document.addEventListener('toggle', ({ target }) => target instanceof Element && target.matches('details.prompt') && prepare(target), true)

const begin = async (): Promise<void> => {
  enablePane()
  const holding = hold(document)
  enableSearch()
  enableChart()
  const rows = heldRows()
  const first = rows.find((row) => ['failed', 'waiting', 'differs'].some((state) => row.is(state))) ?? rows[0]
  if (!/^\d+$/.test(hashName()) && first) await choose(first.seq)
  await openTarget()
  await holding
  enableLive(enableChart)
}
void begin()
