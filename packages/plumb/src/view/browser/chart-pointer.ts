// The timeline by wheel and pointer.

/** A wheel that was scrolling the page goes on doing so. */
const SCROLLING_MS = 300
/** Pixels from which a pointer that is held draws a range. */
const MIN_DRAG = 6

/** `zoom` returns whether anything changed: otherwise the page scrolls. */
export const enableWheel = (
  scroll: HTMLElement,
  listening: AddEventListenerOptions,
  zoom: (by: number, place: number) => boolean,
): void => {
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
export const enableDrag = (scroll: HTMLElement, listening: AddEventListenerOptions, choose: (from: number, to: number) => void): void => {
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
