// Numbers that look like chance and are the same for the same seed.

export interface Random {
  /** A whole number from 0 to `end` - 1. */
  below(end: number): number
  pick<T>(list: readonly T[]): T
  /** True once in `n` times. */
  oneIn(n: number): boolean
}

export const makeRandom = (...seed: readonly (string | number)[]): Random => {
  let state = mix(seed.join(' '))
  const next = (): number => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5
    const mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }
  const below = (end: number): number => Math.floor((next() / 2 ** 32) * end)
  return {
    below,
    pick: (list) => {
      if (list.length === 0) throw new RangeError('there is nothing to pick from')
      return list[below(list.length)] as (typeof list)[number]
    },
    oneIn: (n) => below(n) === 0,
  }
}

/** Numbers from 0 to 1. */
export const makeFractions = (...seed: readonly (string | number)[]): (() => number) => {
  const { below } = makeRandom(...seed)
  return () => below(2 ** 32) / 2 ** 32
}

const mix = (text: string): number => {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash
}
