// The timeline: from bar to bar by keys, and stretched.

import { drawLabels, drawTicks, placedBars } from './chart-labels.js'
import { enableDrag, enableWheel } from './chart-pointer.js'

const MAX_SCALE = 5000

/** Of the listeners to the window, where a chart has taken the place of another. */
let listening = new AbortController()
let [scale, left] = [1, 0]

type Rows = readonly (readonly SVGAElement[])[]

export const enableChart = (): void => {
  listening.abort()
  listening = new AbortController()
  const scroll = document.getElementById('bars')
  const chart = document.querySelector<SVGSVGElement>('#chart')
  const said = document.getElementById('said')
  if (!scroll || !chart || !said) return
  const rows = [...chart.querySelectorAll('.row')].map((row) => [...row.querySelectorAll<SVGAElement>('.bar')])
  const stretch = stretcher(chart, scroll, rows)
  enableKeys(chart, scroll, rows, stretch)
  const describe = ({ target }: Event): void => {
    const bar = (target as Element).closest<SVGAElement>('.bar')
    if (bar) said.textContent = bar.getAttribute('aria-label')
  }
  chart.addEventListener('focusin', describe)
  chart.addEventListener('pointerover', describe)
  document.getElementById('closer')?.addEventListener('click', () => stretch(scale * 2))
  document.getElementById('wider')?.addEventListener('click', () => stretch(scale / 2))
  document.getElementById('whole')?.addEventListener('click', () => stretch(1))
  enableWheel(scroll, listening, (by, place) => {
    const before = scale
    stretch(scale * by, place)
    return scale !== before
  })
  enableDrag(scroll, listening, (from, to) => {
    const begin = (scroll.scrollLeft + Math.min(from, to)) / scroll.scrollWidth
    stretch((scale * scroll.clientWidth) / Math.abs(to - from), 0)
    scroll.scrollLeft = begin * scroll.scrollWidth
  })
  scroll.addEventListener('dblclick', () => stretch(1))
}

/** `place`: pixels from the left of the window, which stay where they are; by default those of the bar that has the focus. */
type Stretch = (to: number, place?: number) => void

const stretcher = (chart: SVGSVGElement, scroll: HTMLElement, rows: Rows): Stretch => {
  const placed = placedBars(rows.flat())
  let drawing = 0
  const draw = (): void => {
    cancelAnimationFrame(drawing)
    drawing = requestAnimationFrame(() => {
      drawTicks(chart, scroll)
      drawLabels(placed, chart, scroll)
    })
  }
  chart.style.width = `${scale * 100}%`
  scroll.scrollLeft = left
  const moved = (): void => {
    left = scroll.scrollLeft
    draw()
  }
  scroll.addEventListener('scroll', moved, { passive: true })
  new ResizeObserver(draw).observe(scroll)
  const placeOfFocus = (): number => {
    const focused = document.activeElement?.closest('.bar')?.getBoundingClientRect()
    return focused ? Math.min(focused.left - scroll.getBoundingClientRect().left, scroll.clientWidth - 40) : scroll.clientWidth / 2
  }
  return (to, place = placeOfFocus()) => {
    const middle = (scroll.scrollLeft + place) / scroll.scrollWidth
    scale = Math.min(MAX_SCALE, Math.max(1, to))
    chart.style.width = `${scale * 100}%`
    scroll.scrollLeft = middle * scroll.scrollWidth - place
    draw()
  }
}

const enableKeys = (chart: SVGSVGElement, scroll: HTMLElement, rows: Rows, stretch: Stretch): void => {
  let [row, column] = [0, 0]
  const go = (toRow: number, toColumn: number): void => {
    const bars = rows[toRow]
    if (!bars || bars.length === 0) return
    row = toRow
    column = Math.min(bars.length - 1, Math.max(0, toColumn))
    bars[column]?.focus({ preventScroll: true })
    bars[column]?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }
  // To the nearest bar in the next row.
  const goDown = (by: 1 | -1): void => {
    const from = rows[row]?.[column]?.getBoundingClientRect().left ?? 0
    let next = row + by
    while (rows[next]?.length === 0) next += by
    const distances = (rows[next] ?? []).map((bar) => Math.abs(bar.getBoundingClientRect().left - from))
    if (distances.length > 0) go(next, distances.indexOf(Math.min(...distances)))
  }
  const keys: Readonly<Record<string, () => void>> = {
    ArrowRight: () => go(row, document.activeElement === scroll ? column : column + 1),
    ArrowLeft: () => go(row, column - 1),
    ArrowDown: () => (document.activeElement === scroll ? go(row, column) : goDown(1)),
    ArrowUp: () => goDown(-1),
    Home: () => go(row, 0),
    End: () => go(row, Number.MAX_SAFE_INTEGER),
    '+': () => stretch(scale * 2),
    '=': () => stretch(scale * 2),
    '-': () => stretch(scale / 2),
    '0': () => stretch(1),
  }
  scroll.addEventListener('keydown', (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key]
    if (!act) return
    event.preventDefault()
    act()
  })
  chart.addEventListener('focusin', ({ target }) => {
    const bar = (target as Element).closest<SVGAElement>('.bar')
    if (!bar) return
    row = rows.findIndex((bars) => bars.includes(bar))
    column = rows[row]?.indexOf(bar) ?? 0
  })
}
