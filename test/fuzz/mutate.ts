// From inputs that are right to inputs that are nearly right: bytes, words and whole pieces are changed, moved, repeated, nested and cut.

import type { Random } from './random.js'

export interface Material {
  /** Inputs that are right. */
  readonly seeds: readonly Buffer[]
  /** What means something in this format. */
  readonly words: readonly string[]
  readonly maxBytes: number
}

/** Mean what they mean in any format; some are not UTF-8. */
const ODD = [
  ...[
    '\0',
    '\n',
    '\r\n',
    '\r',
    '\t',
    ' ',
    '"',
    "'",
    '\\',
    '\\u0000',
    '\\ud800',
    '\u2028',
    '\ufeff',
    '\u202e',
    '😀',
    'é',
    'ſ',
    'İ',
    '\x1b[2J',
  ],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'then', 'null', 'true', '{}', '[]', '""'],
  ...['0', '-0', '-1', '1e999', '1e-7', '2147483648', '9007199254740993', '0.1', '00', 'NaN', 'a'.repeat(200)],
].map((text) => Buffer.from(text))
const NOT_UTF8 = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x80], [0xf4, 0x90, 0x80, 0x80], [0x80]].map((bytes) =>
  Buffer.from(bytes),
)

type Change = (input: Buffer, random: Random, material: Material) => Buffer

export const mutate = (material: Material, random: Random): Buffer => {
  let input = random.pick(material.seeds)
  for (let changes = 1 + random.below(random.oneIn(4) ? 12 : 4); changes > 0; changes--) {
    input = random.pick(CHANGES)(input, random, material).subarray(0, material.maxBytes)
  }
  return input
}

const splice = (input: Buffer, from: number, to: number, piece: Uint8Array): Buffer =>
  Buffer.concat([input.subarray(0, from), piece, input.subarray(to)])

const spanIn = (input: Buffer, random: Random, longest = 40): [from: number, to: number] => {
  const from = random.below(input.length + 1)
  return [from, Math.min(input.length, from + random.below(random.oneIn(5) ? input.length + 1 : longest))]
}

/** Where words, numbers, runs of white space and single signs begin and end; of a long input only near one place. */
const tokensIn = (input: Buffer, random: Random): [from: number, to: number][] => {
  const near = random.below(Math.max(1, input.length - NEAR))
  const text = input.toString('latin1', near, near + NEAR)
  return [...text.matchAll(/[\w\x80-\xff]+|\s+|[^\w\s]/g)].map((match) => [near + match.index, near + match.index + match[0].length])
}

const NEAR = 2000

const wordOf = (random: Random, { words, seeds }: Material): Buffer => {
  if (words.length > 0 && !random.oneIn(4)) return Buffer.from(random.pick(words))
  if (random.oneIn(8)) return random.pick(NOT_UTF8)
  if (!random.oneIn(3)) return random.pick(ODD)
  const seed = random.pick(seeds)
  return seed.subarray(...spanIn(seed, random))
}

const inTokens =
  (change: (input: Buffer, token: [number, number], other: [number, number], random: Random, material: Material) => Buffer): Change =>
  (input, random, material) => {
    const tokens = tokensIn(input, random)
    return tokens.length === 0 ? input : change(input, random.pick(tokens), random.pick(tokens), random, material)
  }

const CHANGES: readonly Change[] = [
  // Words
  inTokens((input, [from, to]) => splice(input, from, to, Buffer.alloc(0))),
  inTokens((input, [from, to]) => splice(input, to, to, input.subarray(from, to))),
  inTokens((input, [from, to], [otherFrom, otherTo]) => splice(input, from, to, input.subarray(otherFrom, otherTo))),
  inTokens((input, [from, to], _, random, material) => splice(input, from, to, wordOf(random, material))),
  inTokens((input, [from, to], _, random, material) => splice(input, from, to, wordOf(random, material))),
  inTokens((input, [from], _, random, material) => splice(input, from, from, wordOf(random, material))),
  inTokens((input, [from], _, random, material) => splice(input, from, from, wordOf(random, material))),
  // Pieces
  (input, random) => splice(input, ...spanIn(input, random), Buffer.alloc(0)),
  (input, random) => {
    const [from, to] = spanIn(input, random)
    const at = random.below(input.length + 1)
    return splice(input, at, at, input.subarray(from, to))
  },
  (input, random, { seeds }) => {
    const other = random.pick(seeds)
    return splice(input, ...spanIn(input, random), other.subarray(...spanIn(other, random)))
  },
  (input, random) => input.subarray(0, random.below(input.length + 1)),
  // Many of one: seldom, since it takes long.
  (input, random, material) => {
    const at = random.below(input.length + 1)
    const [from, to] = spanIn(input, random, 12)
    const piece = random.oneIn(2) ? input.subarray(from, to) : wordOf(random, material)
    const times = random.oneIn(3) ? 5000 : 20
    return random.oneIn(6) ? splice(input, at, at, Buffer.concat(Array(times).fill(piece))) : input
  },
  (input, random, { words }) => {
    if (!random.oneIn(4)) return input
    const [open = '', close = ''] = random.pick([...BRACKETS, ...(words.length > 0 ? [[random.pick(words), '']] : [])])
    const [from, to] = spanIn(input, random)
    const depth = random.pick([3, 100, 600, 6000])
    return splice(
      input,
      from,
      to,
      Buffer.concat([Buffer.from(open.repeat(depth)), input.subarray(from, to), Buffer.from(close.repeat(depth))]),
    )
  },
  // Bytes
  (input, random) => {
    const copy = Buffer.from(input)
    const at = random.below(copy.length + 1)
    if (at < copy.length) copy[at] = (copy[at] as number) ^ (1 << random.below(8))
    return copy
  },
  (input, random) => {
    const copy = Buffer.from(input)
    if (copy.length > 0)
      copy[random.below(copy.length)] = random.pick([0, 10, 13, 32, 34, 92, 0x7b, 0x7d, 0x80, 0xc3, 0xff, random.below(256)])
    return copy
  },
]

const BRACKETS = [
  ['[', ']'],
  ['{"a":', '}'],
  ['(', ')'],
  ['(', ''],
  ['[', ''],
  ['{', '}'],
]
