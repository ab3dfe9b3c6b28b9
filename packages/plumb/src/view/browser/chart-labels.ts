// What is written in the timeline, for what is seen of it now: times along the axis, and names in bars that have room.

const SVG = 'http://www.w3.org/2000/svg'
/** Pixels between two times, and of a letter. */
const TICK_PX = 110
const LETTER_PX = 6.5
const PADDING_PX = 8
/** As the page has it. */
const BASELINE = 12

const STEPS = [1, 2, 5, 10]

export const drawTicks = (chart: SVGSVGElement, scroll: HTMLElement): void => {
  const ticks = chart.querySelector('#ticks')
  const [start, length] = [Number(chart.dataset.start), Number(chart.dataset.length)]
  const width = chart.getBoundingClientRect().width
  if (!ticks || width === 0) return
  const rough = (length * TICK_PX) / width
  const size = 10 ** Math.floor(Math.log10(rough))
  const step = (STEPS.find((n) => n * size >= rough) ?? 10) * size
  const first = Math.floor((scroll.scrollLeft / width) * (length / step))
  const count = Math.ceil(((scroll.clientWidth / width) * length) / step) + 1
  ticks.replaceChildren()
  for (let i = first; i <= first + count; i++) {
    const at = i * step
    if (at > length) break
    const x = `${(at / length) * 100}%`
    const line = ticks.appendChild(document.createElementNS(SVG, 'line'))
    for (const [name, value] of Object.entries({ x1: x, x2: x, y1: '18', y2: chart.getAttribute('height') ?? '' }))
      line.setAttribute(name, value)
    const text = ticks.appendChild(document.createElementNS(SVG, 'text'))
    const isLast = width - (at / length) * width < TICK_PX / 2
    for (const [name, value] of Object.entries({ x, y: '13', dx: isLast ? '-3' : '3', 'text-anchor': isLast ? 'end' : 'start' }))
      text.setAttribute(name, value)
    text.textContent = timeText(start + at, step)
  }
}

/** With as many digits as tell two times apart. */
const timeText = (us: number, step: number): string => {
  if (us === 0) return '0'
  const [unit, name] = us < 1000 ? [1, 'µs'] : us < 1_000_000 ? [1000, 'ms'] : [1_000_000, 's']
  const digits = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9))
  if (us < 60_000_000 || step < 100_000) return `${(us / unit).toFixed(Math.min(6, digits))} ${name}`
  const seconds = Math.round(us / 1_000_000)
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`
}

/** A bar, and where it is: shares of the whole. */
export interface PlacedBar {
  readonly bar: SVGAElement
  readonly rect: SVGRectElement
  readonly from: number
  readonly to: number
  readonly label: string
}

const shareIn = (rect: Element, name: string): number => Number.parseFloat(rect.getAttribute(name) ?? '0') / 100

/** Those that have a name to write. */
export const placedBars = (bars: readonly SVGAElement[]): readonly PlacedBar[] =>
  bars.flatMap((bar): PlacedBar[] => {
    const [rect, { label = '' }] = [bar.querySelector('rect'), bar.dataset]
    const from = rect ? shareIn(rect, 'x') : 0
    return rect && label !== '' ? [{ bar, rect, from, to: from + shareIn(rect, 'width'), label }] : []
  })

/** Bars that are not seen keep what they have. */
export const drawLabels = (bars: readonly PlacedBar[], chart: SVGSVGElement, scroll: HTMLElement): void => {
  const width = chart.getBoundingClientRect().width
  const [left, right] = [scroll.scrollLeft, scroll.scrollLeft + scroll.clientWidth]
  for (const { bar, rect, from: begin, to: end, label } of bars) {
    const [from, to] = [begin * width, end * width]
    if (to < left || from > right) continue
    // A bar that begins before the window has its label where it is seen.
    const room = Math.min(to, right) - Math.max(from, left) - PADDING_PX
    const letters = Math.floor(room / LETTER_PX)
    // A part of a name is not what the bar is called.
    writeLabel(bar, rect, { text: letters < label.length ? '' : label, dx: Math.max(0, left - from) + 4 })
  }
}

const writeLabel = (bar: SVGAElement, rect: SVGRectElement, { text, dx }: { text: string; dx: number }): void => {
  let element = bar.querySelector('text')
  if (text === '') return element?.remove()
  if (!element) {
    element = document.createElementNS(SVG, 'text')
    element.setAttribute('x', rect.getAttribute('x') ?? '0')
    element.setAttribute('y', String(Number(rect.getAttribute('y')) + BASELINE))
    bar.append(element)
  }
  element.setAttribute('dx', String(dx))
  if (element.textContent !== text) element.textContent = text
}
