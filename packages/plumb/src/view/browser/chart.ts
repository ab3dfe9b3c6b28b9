// The timeline by keyboard, wheel and pointer: from bar to bar, and stretched.

import { drawLabels, drawTicks } from './chart-labels.js'

const MAX_SCALE = 5000
/** A wheel that was scrolling the page goes on doing so. */
const SCROLLING_MS = 300
/** Pixels from which a pointer that is held draws a range. */
const MIN_DRAG = 6

/** Of the listeners to the window, where a chart has taken the place of another. */
let listening = new AbortController()
let [scale, left] = [1, 0]

export const enableChart = (): void => {
  listening.abort()
  listening = new AbortController()
  const scroll = document.getElementById('bars')
  const chart = document.querySelector<SVGSVGElement>('#chart')
  const said = document.getElementById('said')
  if (!scroll || !chart || !said) return
  const rows = [...chart.querySelectorAll('.row')].map((row) => [...row.querySelectorAll<SVGAElement>('.bar')])
  let [row, column] = [0, 0]
  let drawing = 0

  const draw = (): void => {
    cancelAnimationFrame(drawing)
    drawing = requestAnimationFrame(() => {
      drawTicks(chart, scroll)
      drawLabels(rows, scroll)
    })
  }

  /** `place`: pixels from the left of the window, which stay where they are. */
  const stretch = (to: number, place = placeOfFocus()): void => {
    const middle = (scroll.scrollLeft + place) / scroll.scrollWidth
    scale = Math.min(MAX_SCALE, Math.max(1, to))
    chart.style.width = `${scale * 100}%`
    scroll.scrollLeft = middle * scroll.scrollWidth - place
    draw()
  }

  const placeOfFocus = (): number => {
    const focused = document.activeElement?.closest('.bar')?.getBoundingClientRect()
    return focused ? Math.min(focused.left - scroll.getBoundingClientRect().left, scroll.clientWidth - 40) : scroll.clientWidth / 2
  }

  const describe = (bar: SVGAElement): void => {
    said.textContent = bar.getAttribute('aria-label')
  }

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
    describe(bar)
  })
  chart.addEventListener('pointerover', ({ target }) => {
    const bar = (target as Element).closest<SVGAElement>('.bar')
    if (bar) describe(bar)
  })
  chart.style.width = `${scale * 100}%`
  scroll.scrollLeft = left
  scroll.addEventListener(
    'scroll',
    () => {
      left = scroll.scrollLeft
      draw()
    },
    { passive: true },
  )
  new ResizeObserver(draw).observe(scroll)
  document.getElementById('closer')?.addEventListener('click', () => stretch(scale * 2))
  document.getElementById('wider')?.addEventListener('click', () => stretch(scale / 2))
  document.getElementById('whole')?.addEventListener('click', () => stretch(1))
  enableWheel(scroll, (by, place) => {
    const before = scale
    stretch(scale * by, place)
    return scale !== before
  })
  enableDrag(scroll, (from, to) => {
    const [left, width] = [Math.min(from, to), Math.abs(to - from)]
    const begin = (scroll.scrollLeft + left) / scroll.scrollWidth
    stretch((scale * scroll.clientWidth) / width, 0)
    scroll.scrollLeft = begin * scroll.scrollWidth
  })
  scroll.addEventListener('dblclick', () => stretch(1))
}

/** `zoom` returns whether anything changed: otherwise the page scrolls. */
const enableWheel = (scroll: HTMLElement, zoom: (by: number, place: number) => boolean): void => {
  let scrolledAt = Number.NEGATIVE_INFINITY
  const note = (): void => {
    scrolledAt = performance.now()
  }
  addEventListener('scroll', note, listening)
  scroll.addEventListener(
    'wheel',
    (event) => {
      const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey
      if (isSideways || (!event.ctrlKey && performance.now() - scrolledAt < SCROLLING_MS)) return
      const place = event.clientX - scroll.getBoundingClientRect().left
      if (zoom(1.2 ** (-Math.max(-120, Math.min(120, event.deltaY)) / 40), place)) event.preventDefault()
    },
    { passive: false },
  )
}

/** `choose` gets the range that was drawn, in pixels from the left of the window. */
const enableDrag = (scroll: HTMLElement, choose: (from: number, to: number) => void): void => {
  let from: number | undefined
  const range = document.createElement('div')
  range.className = 'range'
  range.hidden = true
  scroll.append(range)
  const placeOf = (event: PointerEvent) => event.clientX - scroll.getBoundingClientRect().left
  scroll.addEventListener('pointerdown', (event) => {
    if (event.button === 0 && event.pointerType === 'mouse') from = placeOf(event)
  })
  // Bars are links, which a browser would take along.
  scroll.addEventListener('dragstart', (event) => event.preventDefault())
  const move = (event: PointerEvent): void => {
    if (from === undefined || Math.abs(placeOf(event) - from) < MIN_DRAG) return
    range.hidden = false
    range.style.left = `${scroll.scrollLeft + Math.min(from, placeOf(event))}px`
    range.style.width = `${Math.abs(placeOf(event) - from)}px`
  }
  const end = (event: PointerEvent): void => {
    const begun = from
    from = undefined
    if (begun === undefined || range.hidden) return
    range.hidden = true
    // The bar where it ends was not clicked.
    scroll.addEventListener('click', (click) => click.preventDefault(), { once: true, capture: true })
    setTimeout(() => choose(begun, placeOf(event)))
  }
  addEventListener('pointermove', move, listening)
  addEventListener('pointerup', end, listening)
}
