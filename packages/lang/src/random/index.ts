// Random values of a type, edge cases first, and shrinking of failing ones: for tests. Loaded separately, as no run needs it.

export { type RandomOptions, randomValues } from './random-values.js'
export { drawSeed, type Random, randomAt, randomOf } from './seeded.js'
export { shrinkValue } from './shrink.js'
