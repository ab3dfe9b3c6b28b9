// Values of a type by chance, the unusual ones first, and smaller ones of one that fails: for
// tests. Apart from the rest, as no run needs it.

export { type RandomOptions, randomValues } from './random-values.js'
export { drawSeed, type Random, randomAt, randomOf } from './seeded.js'
export { shrinkValue } from './shrink.js'
