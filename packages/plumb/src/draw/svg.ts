// DOT → SVG by Graphviz, compiled to WebAssembly. Only this file imports it.

import { type Fault, fault } from '@plumb/wire'
import type { Picture } from './picture.js'

/** Graphviz lays this out within seconds, however it is wired. */
const MAX_BOXES = 1000
const MAX_WIRES = 2000

/** Why a picture would take too long to lay out; undefined: it does not. */
export const tooLarge = ({ boxes, wires }: Picture): Fault | undefined => {
  if (boxes.length <= MAX_BOXES && wires.length <= MAX_WIRES) return undefined
  const limits = `${MAX_BOXES.toLocaleString('en')} boxes and ${MAX_WIRES.toLocaleString('en')} wires`
  const found = `${boxes.length.toLocaleString('en')} and ${wires.length.toLocaleString('en')}`
  return fault('too_large', `a picture has at most ${limits}, this one has ${found}; --format json, dot or mermaid writes it as text`)
}

/** The same text gives the same bytes. Throws Graphviz's error for a text that it cannot read. */
export const toSvg = async (dot: string): Promise<string> => {
  const { instance } = await import('@viz-js/viz')
  const graphviz = await instance()
  const svg = graphviz.renderString(dot, { format: 'svg', engine: 'dot' })
  return svg.replaceAll('font-family="Helvetica,sans-Serif"', 'font-family="Helvetica,Arial,sans-serif"')
}
