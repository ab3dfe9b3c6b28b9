// A plan as a picture: `pictureOf` says what is in it, the others write that as DOT, Mermaid, JSON, SVG or PNG.

export { toDot } from './dot.js'
export { type BoxFigures, type Figures, wireKey, withFigures } from './figures.js'
export { toJson } from './json.js'
export { toMermaid } from './mermaid.js'
export { PALETTES, recoloured } from './palette.js'
export { type Picture, pictureOf } from './picture.js'
export { lackingInPng, tooLarge, toPng, toSvg } from './svg.js'
