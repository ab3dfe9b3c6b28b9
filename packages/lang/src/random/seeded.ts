// Numbers that are a function of a seed and a count: splitmix32, so that it can be computed which call of a flaky tool fails.

/** Gives a number from 0 up to but not including 1. */
export type Random = () => number

const GOLDEN = 0x9e3779b9

/** The `count`-th number of the seed, from 0 up to but not including 1. */
export const randomAt = (seed: number, count: number): number => {
  let z = (Math.imul(count, GOLDEN) + seed) | 0
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad)
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
  return ((z ^ (z >>> 15)) >>> 0) / 2 ** 32
}

/** The numbers of a seed one after the other. */
export const randomOf = (seed: number): Random => {
  let count = 0
  return () => randomAt(seed, ++count)
}

export const drawSeed = (): number => Math.floor(Math.random() * 2 ** 31)

/** From `least` to `most`, both among them; whole when they are. */
export const between = (least: number, most: number, random: Random): number => least + Math.floor(random() * (most - least + 1))

export const pick = <T>(items: readonly T[], random: Random): T => items[Math.floor(random() * items.length)] as T
