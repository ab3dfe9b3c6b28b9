// DOT → SVG by Graphviz, compiled to WebAssembly. Only this file imports it.

import { type Fault, fault } from '@plumb/wire'
import { NEWRANK } from './dot.js'
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
  const draw = async (text: string) => (await instance()).renderString(text, { format: 'svg', engine: 'dot' })
  const svg = await draw(dot).catch((error: Error) => {
    // With it Graphviz reads beyond its memory in a few graphs, by chance of what lies where: they are laid out frame by frame.
    if (error.name !== 'RuntimeError') throw error
    return draw(dot.replace(NEWRANK, ''))
  })
  return svg.replaceAll('font-family="Helvetica,sans-Serif"', 'font-family="Helvetica,Arial,sans-serif"')
}
