// SVG → PNG, drawn by resvg compiled to WebAssembly. The only door to it, and to the font that stands in for those of the machine.

/** Pixels to a point: sharp on the screens of today. */
const SCALE = 2

let isReady = false

/** Text is set in Arimo, which is as wide as the Helvetica and Arial that Graphviz has laid the picture out for. */
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
  return new Resvg(svg, { font, fitTo: { mode: 'zoom', value: SCALE } }).render().asPng()
}
