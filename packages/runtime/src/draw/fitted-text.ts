// Texts of a picture as wide as they were laid out: on a machine without the font another one is set, which may be wider than its box.

/** Of Helvetica, and so of Arial, in thousandths of its size: from the space to the tilde. */
const REGULAR =
  '278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584'
const BOLD =
  '278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 333 333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722 667 944 667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 611 389 556 333 611 556 778 556 556 500 389 280 389 584'
/** Of other signs in our own words; Graphviz takes less for the ellipsis than the font. */
const OTHERS: ReadonlyMap<string, number> = new Map([
  ['\u00b7', 278],
  ['\u00d7', 584],
  ['\u00b5', 556],
  ['\u2026', 834],
])

const widthsOf = (list: string): readonly number[] => list.split(' ').map(Number)

/** Undefined: a sign has a width that is not known. */
const widthOf = (text: string, size: number, widths: readonly number[]): number | undefined => {
  let sum = 0
  for (const sign of text) {
    const width = widths[(sign.codePointAt(0) ?? 0) - 0x20] ?? OTHERS.get(sign)
    if (width === undefined) return undefined
    sum += width
  }
  return (sum * size) / 1000
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#45;': '-',
  '&#160;': ' ',
}

/** Of a picture by Graphviz. */
export const withFittedText = (svg: string): string => {
  const [regular, bold] = [widthsOf(REGULAR), widthsOf(BOLD)]
  return svg.replace(/<text ([^>]*)>([^<]*)<\/text>/g, (whole, attributes: string, escaped: string) => {
    const text = escaped.replace(/&#?\w+;/g, (entity) => ENTITIES[entity] ?? '\u0000')
    const size = Number(/font-size="([\d.]+)"/.exec(attributes)?.[1])
    const width = widthOf(text, size, attributes.includes('font-weight="bold"') ? bold : regular)
    if (!width) return whole
    return `<text ${attributes} textLength="${width.toFixed(2)}" lengthAdjust="spacingAndGlyphs">${escaped}</text>`
  })
}
