// SVG → PNG by resvg, compiled to WebAssembly. Only this file imports it, and the font that replaces those of the machine.

/** Pixels for a pixel: sharp on dense screens. */
const SCALE = 2
/** Larger pictures have a smaller scale. */
const MAX_PIXELS = 12_000_000

let isReady = false

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
