// Keys of the timeline: from bar to bar, and to stretch it.

const MAX_SCALE = 1000
/** Scales from which more times are shown along the axis. */
const DENSITY_SCALES = [6, 40]

export const enableBarKeys = (): void => {
  const scroll = document.getElementById('bars')
  const chart = document.getElementById('chart')
  const said = document.getElementById('said')
  if (!scroll || !chart || !said) return
  const rows = [...chart.querySelectorAll('.row')].map((row) => [...row.querySelectorAll<SVGAElement>('.bar')])
  let [row, column, scale] = [0, 0, 1]

  const stretch = (to: number): void => {
    // The focused bar stays where it is.
    const focused = document.activeElement?.closest('.bar')?.getBoundingClientRect()
    const place = focused ? focused.left - scroll.getBoundingClientRect().left : scroll.clientWidth / 2
    const middle = (scroll.scrollLeft + place) / scroll.scrollWidth
    scale = Math.min(MAX_SCALE, Math.max(1, to))
    chart.style.width = `${scale * 100}%`
    chart.setAttribute('data-density', String(DENSITY_SCALES.filter((from) => scale >= from).length))
    scroll.scrollLeft = middle * scroll.scrollWidth - Math.min(place, scroll.clientWidth - 40)
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
  document.getElementById('closer')?.addEventListener('click', () => stretch(scale * 2))
  document.getElementById('wider')?.addEventListener('click', () => stretch(scale / 2))
  document.getElementById('whole')?.addEventListener('click', () => stretch(1))
}
