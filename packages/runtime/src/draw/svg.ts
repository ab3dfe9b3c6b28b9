// DOT → SVG by Graphviz, and SVG → PNG by resvg with a font that replaces those of the machine. Both are compiled to WebAssembly, and only
// this file imports them.

import { type Fault, fault } from '@plumb/wire'
import { NEWRANK } from './dot.js'
import { withFittedText } from './fitted-text.js'
import { missingIn } from './glyphs.js'
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
  return withFittedText(svg.replaceAll('font-family="Helvetica,sans-Serif"', 'font-family="Helvetica,Arial,sans-serif"'))
}

/** Pixels for a pixel: sharp on dense screens. */
const SCALE = 2
/** Larger pictures have a smaller scale. */
const MAX_PIXELS = 12_000_000

let isReady = false

/** Characters of the picture that png pictures show as boxes. */
export const lackingInPng = async (svg: string): Promise<readonly string[]> => {
  const regular = await import('@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf')
  return missingIn(svg, Buffer.from(regular.default))
}

/** Text is set in Arimo, which is as wide as the Helvetica that Graphviz laid the picture out with. */
export const toPng = async (svg: string): Promise<Uint8Array> => {
  const { initWasm, Resvg } = await import('@resvg/resvg-wasm')
  const regular = await import('@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf')
  const bold = await import('@expo-google-fonts/arimo/700Bold/Arimo_700Bold.ttf')
  if (!isReady) {
    const program = await import('@resvg/resvg-wasm/index_bg.wasm')
    await initWasm(program.default)
    isReady = true
  }
  const font = { fontBuffers: [regular.default, bold.default], defaultFontFamily: 'Arimo', sansSerifFamily: 'Arimo' }
  return new Resvg(svg, { font, fitTo: { mode: 'zoom', value: scaleFor(svg) } }).render().asPng()
}

// A point is 4/3 of a pixel.
const scaleFor = (svg: string): number => {
  const [, width = '1', height = '1'] = /<svg width="([\d.]+)pt"\s+height="([\d.]+)pt"/.exec(svg) ?? []
  const pixels = Number(width) * Number(height) * (16 / 9)
  return Math.min(SCALE, Math.sqrt(MAX_PIXELS / pixels))
}
