// Graphviz's language → SVG, laid out by Graphviz compiled to WebAssembly. The only door to it.

/** The same text gives the same bytes. Throws what Graphviz says of a text that it cannot read. */
export const toSvg = async (dot: string): Promise<string> => {
  const { instance } = await import('@viz-js/viz')
  const graphviz = await instance()
  const svg = graphviz.renderString(dot, { format: 'svg', engine: 'dot' })
  return svg.replaceAll('font-family="Helvetica,sans-Serif"', 'font-family="Helvetica,Arial,sans-serif"')
}
